import type { Clock } from './clock.ts'
import type { Hooks, Logger } from './hooks.ts'

/**
 * How requests carry the API key: in a header, optionally after a scheme, or in headers that a function
 * sets. The function may be async. It runs for every attempt, so that keys can rotate.
 *
 * @example
 * auth: { header: 'x-public-api-key' }
 * auth: { header: 'Authorization', scheme: 'Bearer' }
 * auth: async (headers) => headers.set('Authorization', await readCurrentKey())
 */
export type Auth =
  | {
      /** Name of the header. */
      readonly header: string
      /** Scheme before the key, separated by a space. @default none: the raw key */
      readonly scheme?: string | undefined
    }
  | ((headers: Headers, apiKey: string | undefined) => void | Promise<void>)

/** The second argument of {@link Fetch}. */
export type FetchInit = {
  readonly method: string
  /** The headers, including the API key, with lowercase names. */
  readonly headers: Record<string, string>
  /** JSON; absent if the request has no body, as in a GET. */
  readonly body?: string
  /** Aborts the attempt. */
  readonly signal: AbortSignal
  /** Redirects must not be followed, because that would send the key elsewhere. */
  readonly redirect: 'manual'
}

/**
 * Sends a request, like `fetch` from the platform, undici or node-fetch. A body that is not a web stream is read with
 * `text()`.
 */
export type Fetch = (
  url: string,
  init: FetchInit,
) => Promise<{
  /** HTTP status. */
  readonly status: number
  /** Set if the status is 2xx. */
  readonly ok: boolean
  /** The headers, such as a `Headers` object. */
  readonly headers: {
    /** Returns a header's value; `null` if there is none. */
    get(name: string): string | null
    /** Calls a function for every header. */
    forEach(visit: (value: string, name: string) => void): void
  }
  /** Reads the body. */
  text(): Promise<string>
}>

/** Options for retrying failed attempts. */
export type RetryOptions = {
  /** Maximum number of retries; 0 for none. @default 2 */
  readonly limit?: number | undefined
  /**
   * Bounds of the wait before a retry, in milliseconds. The wait before retry n is random between 0 and
   * the smaller of `first * 2 ** (n - 1)` and `last` (full jitter). A `Retry-After` header replaces it.
   * @default [500, 8_000]
   */
  readonly backoffMs?: readonly [first: number, last: number] | undefined
  /**
   * Maximum `Retry-After` to wait for, in milliseconds. If the service requests a longer wait, the call rejects at
   * once.
   * @default 60_000
   */
  readonly maxRetryAfterMs?: number | undefined
  /**
   * Conditions for retrying create requests.
   * - `safe`: only if no group can exist yet, that is, after 429, after 503 `storage_unavailable`, or if the request
   *   provably never left this machine.
   * - `always`: in addition, if there is a `groupId`, supplied or generated, after 408, any 5xx, or a missing or
   *   incomplete response. Use it only if your service returns the same group for a repeated `groupId`, as wabakit's
   *   server does.
   *
   * @default 'safe'
   */
  readonly writes?: 'safe' | 'always' | undefined
}

/** Options for {@link createClient}. */
export type ClientOptions = {
  /**
   * URL of the service. It may have a path prefix and a trailing slash. `http:` is allowed only for loopback
   * addresses, or with `allowInsecureHttp`. @default the environment variable `WABAKIT_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined
  /** The public API key. @default the environment variable `WABAKIT_API_KEY` */
  readonly apiKey?: string | undefined
  /** How requests carry the key. @default the raw key, in both `Authorization` and `x-public-api-key` */
  readonly auth?: Auth | undefined
  /** Time limit for one attempt, including the body, in milliseconds; `Infinity` for none. @default 15_000 */
  readonly timeoutMs?: number | undefined
  /** Time limit for a call, including all attempts and waits, in milliseconds; `Infinity` for none. @default 60_000 */
  readonly totalTimeoutMs?: number | undefined
  /** Options for retrying failed attempts. */
  readonly retry?: RetryOptions | undefined
  /**
   * Generates a `groupId` for create requests without one. It stays the same for all attempts, and GROUP_CREATED
   * carries it, so that you can resolve an unknown outcome. With `false`, the service generates the id.
   * @default true
   */
  readonly generateGroupIds?: boolean | undefined
  /**
   * Sends the requests, for example `fetch` from undici or node-fetch. @default the global `fetch` at the time of the
   * request
   */
  readonly fetch?: Fetch | undefined
  /** Headers for every request. A `User-Agent` replaces the client's own. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Receives one debug line per attempt, without keys or bodies. @default none */
  readonly logger?: Logger | undefined
  /** Functions that run around every attempt. @default none */
  readonly hooks?: Hooks | undefined
  /**
   * The source of time, for tests. Waits and `totalTimeoutMs` use it; the time limit of an attempt uses real time.
   * @default the system's clock
   */
  readonly clock?: Clock | undefined
  /**
   * The source of randomness for generated ids and waits, for tests. It returns a number from 0 (inclusive) to 1
   * (exclusive). @default the platform's cryptographic generator, or `Math.random` if there is none
   */
  readonly random?: (() => number) | undefined
  /** Allows `http:` for hosts other than loopback. This exposes the API key to the network. @default false */
  readonly allowInsecureHttp?: boolean | undefined
}
