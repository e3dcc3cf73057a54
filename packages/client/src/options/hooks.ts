import type { EndpointName } from '@wabakit/contract'
import type { WabakitError } from '../errors/wabakit-error.ts'

/** One attempt, the same object in each of its hooks: usable as a key of a `WeakMap`. */
export type HookRequest = {
  /** `groups.create` or `calls.getSummary`. */
  readonly endpoint: EndpointName
  /** HTTP method. */
  readonly method: string
  /** Path and query, after the base URL. */
  readonly path: string
  /** The whole address. */
  readonly url: string
  /** Headers to be sent. `beforeRequest` may change them. The API key is put on afterwards and never shows here. */
  readonly headers: Headers
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The text to be sent; `undefined` for a GET. */
  readonly body: string | undefined
}

/** What `afterResponse` gets. */
export type AfterResponseContext = {
  /** The attempt that was answered. */
  readonly request: HookRequest
  /** Status and headers; the body has been read. */
  readonly response: Response
  /** The body as text, at most 64 KiB of it unless the answer is a success. */
  readonly body: string
  /** The answer's `x-request-id`. */
  readonly requestId: string | undefined
  /** Duration of the attempt in milliseconds, the body included. */
  readonly durationMs: number
}

/** What `afterError` gets. */
export type AfterErrorContext = {
  /** The attempt that failed. */
  readonly request: HookRequest
  /** A `ConnectionError`, a `TimeoutError`, or the reason of an abort. */
  readonly error: unknown
  /** Duration of the attempt in milliseconds. */
  readonly durationMs: number
}

/** What `beforeRetry` gets. */
export type BeforeRetryContext = {
  /** The attempt that failed. */
  readonly request: HookRequest
  /** Why it is repeated. */
  readonly error: WabakitError
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs: number
}

/**
 * Functions called around every attempt, and awaited. What one throws, the call rejects with, unwrapped and
 * without a retry.
 */
export type Hooks = {
  /** Before an attempt is sent. May change `request.headers`. */
  readonly beforeRequest?: ((context: { readonly request: HookRequest }) => unknown) | undefined
  /** After an answer was read, whatever its status. */
  readonly afterResponse?: ((context: AfterResponseContext) => unknown) | undefined
  /** After an attempt ended without an answer. */
  readonly afterError?: ((context: AfterErrorContext) => unknown) | undefined
  /** Before the wait that precedes a repetition. */
  readonly beforeRetry?: ((context: BeforeRetryContext) => unknown) | undefined
}
