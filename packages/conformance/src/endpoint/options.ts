import type { MeasuredProfile } from '@wabakit/contract/profile'
import type { CheckResult } from '../report/report.ts'
import type { EffectsSource } from './effects.ts'
import type { Exchange } from './send.ts'

/** The plan of a run. */
export type ExaminationPlan = {
  /** URL of the endpoint, with `?…` for its query, which may contain a token. */
  readonly target: string
  /** Number of checks in the report. */
  readonly checks: number
  /** Number of requests that the endpoint will get if it is correct. Others may get a few more or less. */
  readonly requests: number
}

/**
 * The endpoint to examine, and the settings of the examination. Pass `secret`, `headers`, or a URL with a token: the way in
 * which the endpoint authenticates its sender.
 */
export type ExamineEndpointOptions = {
  /** URL of the endpoint. */
  readonly url: string
  /** Secret that signs deliveries with Standard Webhooks, such as `whsec_…`. */
  readonly secret?: string | undefined
  /** Previous secret, which the endpoint still accepts during a rotation. */
  readonly previousSecret?: string | undefined
  /** Headers that authenticate the sender, by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Source of the application's effects: a URL, a shell command, or a function that returns them. They are lines, or JSON:
   * each element of an array, or each of several documents. One that contains a delivery's `callId` or `groupId` counts as one
   * of its effects.
   */
  readonly effects?: EffectsSource | undefined
  /**
   * States that the effects show texts as they are stored. A text that is cut in them is then a failure. Otherwise it proves
   * nothing, because it may be cut only where it is shown.
   * @default false
   */
  readonly effectsAreComplete?: boolean | undefined
  /**
   * A profile that `wabakit capture` has written. The doctor also sends its events, with each kind of value that was captured.
   * @default none
   */
  readonly profile?: MeasuredProfile | undefined
  /** Ids of the checks to run. The positive control runs, too, unless `skip` lists it. */
  readonly only?: readonly string[] | undefined
  /** Ids of the checks to skip. */
  readonly skip?: readonly string[] | undefined
  /**
   * Maximum duration of the run, in milliseconds. The default depends on the response times and the time spent waiting, as for
   * effects.
   * @default 60_000 or more, at most 600_000, or 1_200_000 on a busy machine
   */
  readonly timeoutMs?: number | undefined
  /**
   * Seed of all random choices. Ids and times are new in every run, because the endpoint remembers handled deliveries.
   * @default a random one
   */
  readonly seed?: number | undefined
  /** Allows a target outside this machine and private networks. @default false */
  readonly allowPublicTarget?: boolean | undefined
  /** Time limits and sizes, for unusual endpoints and for tests. */
  readonly limits?: Partial<Limits> | undefined
  /** Returns the time that signatures state, as Unix time in milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined
  /** Called before the first request. */
  onStart?(plan: ExaminationPlan): void
  /** Called when a check begins, and again when it waits for effects or for time to pass: then with what it waits for. */
  onCheck?(checkId: string, waitsFor?: string): void
  /** Called with each result as soon as it is known. */
  onResult?(result: CheckResult): void
  /**
   * Called with each request of a check and its response, once the check has ended. Secrets of 6 or more characters are hidden in
   * headers, in the query and in the response.
   */
  onExchange?(checkId: string, exchange: Exchange): void
}

export const defaultLimits = {
  /** Time that a sender waits for a response (decision 0019). @default 15_000 */
  responseMs: 15_000,
  /**
   * Time limit for the response to an attack, extended to twice the slowest genuine response, but at most to `responseMs`.
   * @default 5_000
   */
  attackMs: 5_000,
  /** Maximum duration of a fast response. A slower one results in advice. @default 5_000 */
  fastResponseMs: 5_000,
  /**
   * Maximum time until the first effect is visible. The limit for later effects is three times the first effect's time,
   * but at least `effectMs`.
   * @default 12_000
   */
  firstEffectMs: 12_000,
  /** Minimum time limit for an effect to become visible, and for effects that cannot be read to become readable. @default 3_000 */
  effectMs: 3_000,
  /** Minimum time that the number of effects must stay the same before it counts as final. @default 300 */
  settleMs: 300,
  /** Minimum time between two attempts of a delivery that must still be recognized: many caches forget after a minute. @default 62_000 */
  memoryMs: 62_000,
  /** Minimum time until an event counts as lost that a worker may try again, for example after a malformed one. @default 30_000 */
  retryMs: 30_000,
  /** Maximum time for an endpoint to recover from an attack. @default 2_000 */
  recoverMs: 2_000,
  /** Number of bytes that are added to an event to make the oversized body. @default 16 MiB */
  oversizedBytes: 16 * 1_048_576,
  /** Number of concurrent deliveries in the burst. @default 40 */
  burst: 40,
  /** Number of concurrent connections that send their bodies slowly. @default 20 */
  slowConnections: 20,
}

/**
 * Time limits and sizes of the doctor. Times are in milliseconds.
 *
 * @interface
 */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number }
