import type { Issue } from '@wabakit/wire'
import { WabakitError } from './wabakit-error.ts'

/**
 * There was no complete response, for example because the host is unknown, its certificate is not trusted, or the connection
 * was refused, reset or closed. `cause` is a copy of the runtime's error with its name, message, code, stack and cause, without
 * secrets. A create request rejects with this error only if it provably never left this machine; otherwise with an
 * `OutcomeUnknownError`.
 */
export class ConnectionError extends WabakitError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError'
  }
  readonly code = 'connection_failed'
  /** `true` if the request provably never left this machine; `false` if unknown. */
  declare readonly neverSent: boolean

  constructor(message: string, { neverSent, cause }: { neverSent: boolean; cause: unknown }) {
    super(message, { cause }, { neverSent })
  }
}

/**
 * The time limit was reached before a complete response arrived. With `maxWaitMs`, `cause` is the last error of a request.
 * A create request rejects with this error only if it provably never left this machine; otherwise with an
 * `OutcomeUnknownError`.
 */
export class TimeoutError extends WabakitError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError'
  }
  readonly code = 'timed_out'
  /** The option that set the limit: for an attempt, for a call with its retries, or for `waitForSummary`. */
  declare readonly limit: 'timeoutMs' | 'totalTimeoutMs' | 'maxWaitMs'
  /** The limit in milliseconds. */
  declare readonly timeoutMs: number
  /** `true` if the request provably never left this machine; `false` if unknown. */
  declare readonly neverSent: boolean

  constructor(message: string, details: Omit<TimeoutError, keyof WabakitError>, options?: ErrorOptions) {
    super(message, options, details)
  }
}

/**
 * A create request was sent, and the client cannot know whether the group exists: there was no complete response, a 5xx
 * that does not rule it out, or a 2xx that does not match the contract, such as one without a `groupId`. Before you create
 * the group again, wait for GROUP_CREATED with this `groupId`. Repeating the same request is safe with wabakit's server,
 * which returns the same group, but may not be safe with other services. `cause` is the last failure, with `status` and
 * `requestId` if there was a response.
 */
export class OutcomeUnknownError extends WabakitError {
  override get name(): 'OutcomeUnknownError' {
    return 'OutcomeUnknownError'
  }
  readonly code = 'outcome_unknown'
  /** The `groupId` of the request, supplied or generated; `undefined` only with `generateGroupIds: false`. */
  declare readonly groupId: string | undefined

  constructor(message: string, { groupId, cause }: { groupId: string | undefined; cause: unknown }) {
    super(message, { cause }, { groupId })
  }
}

/**
 * The service returned a 2xx that does not match the contract, or a redirect. Redirects are never followed, because
 * that would send the API key elsewhere: set `baseUrl` to the final address. After a 2xx, a create request rejects with
 * an `OutcomeUnknownError` that has this error as its `cause`.
 */
export class ResponseFormatError extends WabakitError {
  override get name(): 'ResponseFormatError' {
    return 'ResponseFormatError'
  }
  readonly code = 'unexpected_response'
  /** HTTP status of the response; 0 for a redirect in a browser, because browsers hide its status. */
  declare readonly status: number
  /** `false` if the body was empty, ended too early, or begins like a JSON object but is not JSON, as if it had been cut off. */
  declare readonly isComplete: boolean
  /** The differences between the body and the contract; empty for a redirect, and for a body that could not be read to its end or has over 1 MiB. */
  declare readonly issues: readonly Issue[]
  /** The response's `x-request-id`, if any. */
  declare readonly requestId: string | undefined
  /** The response's headers, without the request's secrets. */
  declare readonly headers: Headers
  /** The response's body as text, up to 65,536 characters, without the request's secrets. */
  declare readonly body: string

  constructor(message: string, details: Omit<ResponseFormatError, keyof WabakitError>) {
    super(message, undefined, details)
  }
}
