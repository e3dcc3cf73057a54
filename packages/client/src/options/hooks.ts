import type { CalledEndpoint } from '../api-call.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'

/** The request that an attempt sends. All hooks of an attempt get the same object, so it can be a `WeakMap` key. */
export type HookRequest = {
  /** `groups.create`, `calls.getSummary` or `request`. */
  readonly endpoint: CalledEndpoint
  readonly method: string
  /** Path and query, relative to the base URL. */
  readonly path: string
  /** The complete URL. */
  readonly url: string
  /** The request's headers. `beforeRequest` may change them. The API key is added later and never appears here. */
  readonly headers: Headers
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The request's body; `undefined` if there is none, as in a GET. */
  readonly body: string | undefined
}

/**
 * Functions that run around every attempt. The client awaits them. If one throws, the call rejects with that error,
 * without a retry.
 */
export type Hooks = {
  /** Runs before a request is sent. It may change `request.headers`. */
  readonly beforeRequest?: ((context: { readonly request: HookRequest }) => unknown) | undefined
  /** Runs after a response with any status has been read. */
  readonly afterResponse?:
    | ((context: {
        readonly request: HookRequest
        /** The response as `fetch` returned it, for its status and headers. Its body has already been read. */
        readonly response: Response
        /** The body as text: up to 1 MiB of a successful response, up to 64 KiB of any other. */
        readonly body: string
        /** The response's `x-request-id`. */
        readonly requestId: string | undefined
        /** Duration of the attempt in milliseconds, including the body. */
        readonly durationMs: number
      }) => unknown)
    | undefined
  /**
   * Runs after an attempt without a response, or whose response was not read to the end because the call was aborted or, for
   * a successful GET, because reading failed.
   */
  readonly afterError?:
    | ((context: {
        readonly request: HookRequest
        /** A `ConnectionError`, a `TimeoutError`, an abort reason, or an error from `beforeRequest` or `auth`. */
        readonly error: unknown
        /** Duration of the attempt in milliseconds. */
        readonly durationMs: number
      }) => unknown)
    | undefined
  /** Runs before the client waits to retry. */
  readonly beforeRetry?:
    | ((context: {
        /** The failed attempt's request. */
        readonly request: HookRequest
        /** The reason for the failure. */
        readonly error: WabakitError
        /** The wait before the next attempt, in milliseconds. */
        readonly delayMs: number
      }) => unknown)
    | undefined
}

/** A logger: anything with a `debug` method, such as `console`, pino or winston. */
export type Logger = {
  /** Called with one object per attempt, because every logger prints a single object in full. */
  debug(fields: LogFields): void
}

/** The fields of a log line. */
export type LogFields = {
  /** A summary such as `POST /whatsapp/wa-group/create 200 in 12 ms (attempt 1, request req_1)`. */
  readonly message: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** HTTP status; absent if there is an `error`. */
  readonly status?: number
  /**
   * Name of the error that `afterError` gets, or `aborted` for an abort reason that is not an error; absent after a response
   * for which `afterResponse` runs.
   */
  readonly error?: string
  /** Duration of the attempt in milliseconds, rounded. */
  readonly ms: number
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The response's `x-request-id`. */
  readonly requestId?: string
}
