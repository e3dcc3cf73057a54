import type { ErrorCode, Issue } from '@wabakit/contract'
import { WabakitError } from './wabakit-error.ts'

/** The literal names of {@link ApiError} and its subclasses. */
export type ApiErrorName =
  | 'ApiError'
  | 'BadRequestError'
  | 'AuthenticationError'
  | 'PermissionDeniedError'
  | 'NotFoundError'
  | 'UnprocessableError'
  | 'SummaryUnavailableError'
  | 'SummaryPendingError'
  | 'RateLimitError'
  | 'ServerError'

/** What an {@link ApiError} knows of the answer it reports. */
export type ApiErrorDetails = {
  /** HTTP method of the request. */
  readonly method: string
  /** Path and query of the request. */
  readonly path: string
  /** HTTP status of the answer. */
  readonly status: number
  /** The answer's code when it is on the service's closed list, else `unknown`. */
  readonly code: ErrorCode | 'unknown'
  /** The answer's code as received, whatever list it is from; `undefined` when there was none. */
  readonly serverCode: string | undefined
  /** What is wrong with which field, as received; empty when the answer named none. */
  readonly issues: readonly Issue[]
  /** The answer's `x-request-id`; `undefined` when it had none. Quote it when asking the service's operator. */
  readonly requestId: string | undefined
  /** The wait that the answer's `Retry-After` asks for, in milliseconds; `undefined` when absent or unreadable. */
  readonly retryAfterMs: number | undefined
  /** The answer's headers. */
  readonly headers: Headers
  /** The answer's body as received, at most 64 KiB of it. */
  readonly body: string
}

/**
 * The service answered, and not with success. Subclasses exist for the statuses of the interface; any other 4xx is
 * an `ApiError` itself. The message names method, path and status, and repeats the server's sentence.
 */
export class ApiError extends WabakitError implements ApiErrorDetails {
  override get name(): ApiErrorName {
    return 'ApiError'
  }
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: ErrorCode | 'unknown'
  readonly serverCode: string | undefined
  readonly issues: readonly Issue[]
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly headers: Headers
  readonly body: string

  constructor(message: string, details: ApiErrorDetails) {
    super(message)
    this.method = details.method
    this.path = details.path
    this.status = details.status
    this.code = details.code
    this.serverCode = details.serverCode
    this.issues = details.issues
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
    this.headers = details.headers
    this.body = details.body
  }
}

const brand = Symbol.for('wabakit.api-error')
Object.defineProperty(ApiError.prototype, brand, { value: true })

/** Tells whether `error` is an {@link ApiError}, also one of another copy of this package. */
export const isApiError = (error: unknown): error is ApiError =>
  typeof error === 'object' && error !== null && brand in error
