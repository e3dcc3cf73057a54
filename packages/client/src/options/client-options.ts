import type { Auth } from './auth.ts'
import type { Clock } from './clock.ts'
import type { Hooks } from './hooks.ts'
import type { Logger } from './logger.ts'

/** When and how a failed attempt is repeated. */
export type RetryOptions = {
  /** Repetitions after the first attempt; 0 turns them off. @default 2 */
  readonly limit?: number | undefined
  /**
   * Bounds of the wait in milliseconds: before repetition n it is random between 0 and `first * 2 ** (n - 1)`, at
   * most `last` (full jitter). A `Retry-After` of the answer takes its place. @default [500, 8_000]
   */
  readonly backoffMs?: readonly [first: number, last: number] | undefined
  /** The longest `Retry-After` that is waited for, in milliseconds; a longer one rejects at once. @default 60_000 */
  readonly maxRetryAfterMs?: number | undefined
  /**
   * `safe`: a create is repeated only when no group can exist yet: after 429, after 503 `storage_unavailable`, and when
   * the request provably never left. `always`: a create with a `groupId`, supplied or generated, is also repeated after
   * 408, any 5xx, and a lost or incomplete response. Choose it only for a service that answers a repeated `groupId`
   * with the same group, as wabakit's server does. @default 'safe'
   */
  readonly writes?: 'safe' | 'always' | undefined
}

/** Options of {@link createClient}. */
export type ClientOptions = {
  /**
   * Address of the service. A path prefix and a trailing slash are fine. `http:` is allowed for loopback only,
   * unless `allowInsecureHttp`. @default the environment's `WABAKIT_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined
  /** The public API key. @default the environment's `WABAKIT_API_KEY` */
  readonly apiKey?: string | undefined
  /** How the key is carried. @default { header: 'Authorization' }, the raw key */
  readonly auth?: Auth | undefined
  /** Limit of one attempt, body included, in milliseconds; `Infinity` for none. @default 15_000 */
  readonly timeoutMs?: number | undefined
  /** Limit of a call with all its attempts and waits, in milliseconds; `Infinity` for none. @default 60_000 */
  readonly totalTimeoutMs?: number | undefined
  /** When and how a failed attempt is repeated. */
  readonly retry?: RetryOptions | undefined
  /**
   * Whether a create without a `groupId` gets a generated one, the same on every attempt: GROUP_CREATED carries it, so
   * an unknown outcome can be settled. `false` leaves it to the service to generate the id. @default true
   */
  readonly generateGroupIds?: boolean | undefined
  /** Used in place of the global `fetch`; called with a `Request` whose `signal` ends the attempt. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Headers of every request. A `User-Agent` here replaces the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Gets one debug line per attempt; never a key or a body. @default none */
  readonly logger?: Logger | undefined
  /** Functions called around every attempt. */
  readonly hooks?: Hooks | undefined
  /** Time, for tests. Waits and total limits follow it; the limit of an attempt is real time. */
  readonly clock?: Clock | undefined
  /**
   * Randomness of generated ids and of waits, for tests: returns a number from 0 (inclusive) to 1 (exclusive).
   * @default the platform's cryptographic generator; `Math.random` where there is none
   */
  readonly random?: (() => number) | undefined
  /** Allows `http:` to other hosts than loopback, where anyone between can read the key. @default false */
  readonly allowInsecureHttp?: boolean | undefined
}

/** Options of one call. */
export type RequestOptions = {
  /** Aborts the call at any stage; it then rejects with `signal.reason` itself. */
  readonly signal?: AbortSignal | undefined
  /** Limit of one attempt, in milliseconds; the client's `totalTimeoutMs` still holds. @default the client's */
  readonly timeoutMs?: number | undefined
  /** Headers of this call, over the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}
