/** Waits and sizes of the doctor. Times are in milliseconds. */
export type Limits = {
  /**
   * Time after which a sender gives up on a response (decision 0020).
   * @default 15_000
   */
  readonly responseMs: number
  /**
   * Time that an endpoint gets to respond to an attack; longer where its genuine responses took longer.
   * @default 5_000
   */
  readonly attackMs: number
  /**
   * Time within which a response is comfortably fast; a slower one is advice.
   * @default 5_000
   */
  readonly fastResponseMs: number
  /**
   * Maximum time until the first effect shows. Later ones get three times as long as it took, but at least `effectMs`.
   * @default 12_000
   */
  readonly firstEffectMs: number
  /**
   * Time that every effect gets to show.
   * @default 3_000
   */
  readonly effectMs: number
  /**
   * Time for which the number of effects must stay the same before it counts.
   * @default 300
   */
  readonly settleMs: number
  /**
   * Maximum time that an endpoint has to recover from an attack.
   * @default 2_000
   */
  readonly recoverMs: number
  /**
   * Bytes of the body that is too large.
   * @default 16 MiB
   */
  readonly oversizedBytes: number
  /**
   * Deliveries of the burst, all at once.
   * @default 40
   */
  readonly burst: number
  /**
   * Connections that send their bodies slowly, at once.
   * @default 20
   */
  readonly slowConnections: number
}

/** The limits of a run that does not set its own. */
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
