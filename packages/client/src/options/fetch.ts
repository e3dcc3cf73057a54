/** The second argument of {@link Fetch}. */
export type FetchInit = {
  /** HTTP method. */
  readonly method: string
  /** The headers, the API key included, with names in lower case. */
  readonly headers: Record<string, string>
  /** JSON; absent for a GET. */
  readonly body?: string
  /** Aborts the attempt. */
  readonly signal: AbortSignal
  /** Redirects must not be followed, because that would send the key elsewhere. */
  readonly redirect: 'manual'
}

/** What the client needs of a response. A body that is not a web stream is read with `text()`. */
export type FetchResponse = {
  /** HTTP status. */
  readonly status: number
  /** Whether the status is 2xx. */
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
}

/** Sends a request. The `fetch` of the platform, of undici and of node-fetch all fit. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>
