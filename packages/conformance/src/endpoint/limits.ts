/** Time limits and sizes of the doctor. Times are in milliseconds. */
export type Limits = {
  /**
   * Time that a sender waits for a response (decision 0020).
   * @default 15_000
   */
  readonly responseMs: number
  /**
   * Time limit for the response to an attack. It is extended if responses to genuine deliveries took longer.
   * @default 5_000
   */
  readonly attackMs: number
  /**
   * Maximum duration of a fast response. A slower one results in advice.
   * @default 5_000
   */
  readonly fastResponseMs: number
  /**
   * Maximum time until the first effect is visible. The limit for later effects is three times the first effect's time,
   * but at least `effectMs`.
   * @default 12_000
   */
  readonly firstEffectMs: number
  /**
   * Minimum time limit for an effect to become visible.
   * @default 3_000
   */
  readonly effectMs: number
  /**
   * Time that the number of effects must stay the same before it is final.
   * @default 300
   */
  readonly settleMs: number
  /**
   * Maximum time for an endpoint to recover from an attack.
   * @default 2_000
   */
  readonly recoverMs: number
  /**
   * Size of the oversized body, in bytes.
   * @default 16 MiB
   */
  readonly oversizedBytes: number
  /**
   * Number of concurrent deliveries in the burst.
   * @default 40
   */
  readonly burst: number
  /**
   * Number of concurrent connections that send their bodies slowly.
   * @default 20
   */
  readonly slowConnections: number
}

/** The default limits. */
export const defaultLimits: Limits = {
  responseMs: 15_000,
  attackMs: 5_000,
  fastResponseMs: 5_000,
  firstEffectMs: 12_000,
  effectMs: 3_000,
  settleMs: 300,
  recoverMs: 2_000,
  oversizedBytes: 16 * 1_048_576,
  burst: 40,
  slowConnections: 20,
}
