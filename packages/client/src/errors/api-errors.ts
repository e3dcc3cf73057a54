import type { ErrorCode, Issue } from '@wabakit/wire'
import { isWabakitError, WabakitError } from './wabakit-error.ts'

/**
 * The service returned an error. There are subclasses for the documented statuses; any other 4xx is a plain `ApiError`.
 * The message contains the method, the URL, the status and the server's own message.
 */
export class ApiError extends WabakitError {
  override get name():
    | 'ApiError'
    | 'BadRequestError'
    | 'AuthenticationError'
    | 'PermissionDeniedError'
    | 'NotFoundError'
    | 'UnprocessableError'
    | 'SummaryUnavailableError'
    | 'SummaryPendingError'
    | 'RateLimitError'
    | 'ServerError' {
    return 'ApiError'
  }
  /** HTTP method of the request. */
  declare readonly method: string
  /** Path and query of the request. */
  declare readonly path: string
  /** HTTP status of the response. */
  declare readonly status: number
  /** The response's code if it is one of the documented codes; otherwise `unknown`. */
  declare readonly code: ErrorCode | 'unknown'
  /** The response's code as received, even if it is not on the list; `undefined` if there was none. */
  declare readonly serverCode: string | undefined
  /** The invalid fields, as received; empty if the response names none. */
  declare readonly issues: readonly Issue[]
  /** The response's `x-request-id`, if any. Quote it when you contact the service's operator. */
  declare readonly requestId: string | undefined
  /** The wait that `Retry-After` asks for, in milliseconds; `undefined` if the header is absent or invalid. */
  declare readonly retryAfterMs: number | undefined
  /** The response's headers, without the request's secrets. */
  declare readonly headers: Headers
  /** The response's body as text, up to 64 KiB, without the request's secrets. */
  declare readonly body: string

  constructor(message: string, details: Omit<ApiError, keyof Error>) {
    super(message, undefined, details)
  }
}

/** Checks whether `error` is an {@link ApiError}, even if it comes from another copy of this package. */
export const isApiError = (error: unknown): error is ApiError =>
  isWabakitError(error) && 'serverCode' in error

/** 400: a field is missing or invalid, or no integration has this `wabaNumber`. `issues` names the fields if the response does. */
export class BadRequestError extends ApiError {
  override get name(): 'BadRequestError' {
    return 'BadRequestError'
  }
}

/** 401: the API key is missing or invalid, or the endpoint reads it from another header. */
export class AuthenticationError extends ApiError {
  override get name(): 'AuthenticationError' {
    return 'AuthenticationError'
  }
}

/**
 * 403: the API key is revoked, may not use this `wabaNumber`, or is not allowed from this address or from browsers. For
 * a summary, a live service also returns it for a wrong key, and if the organization has no PSTN calling.
 */
export class PermissionDeniedError extends ApiError {
  override get name(): 'PermissionDeniedError' {
    return 'PermissionDeniedError'
  }
}

/**
 * 404: the organization has no such call, or the call has no summary yet. A live service returns it for every WhatsApp
 * call. For a create request, and sometimes for a summary: `baseUrl` is wrong.
 */
export class NotFoundError extends ApiError {
  override get name(): 'NotFoundError' {
    return 'NotFoundError'
  }
}

/** 422: a service rule forbids this, for example because the integration is disabled or the `groupId` is taken. */
export class UnprocessableError extends ApiError {
  override get name(): 'UnprocessableError' | 'SummaryUnavailableError' {
    return 'UnprocessableError'
  }
}

/** 422 for a summary: the call can never have one (missed, rejected, not recorded, or nothing was said). */
export class SummaryUnavailableError extends UnprocessableError {
  override get name(): 'SummaryUnavailableError' {
    return 'SummaryUnavailableError'
  }
}

/** 202: the call is in progress, or its summary is being generated. `retryAfterMs` is the pause that the service asks for, if any. */
export class SummaryPendingError extends ApiError {
  override get name(): 'SummaryPendingError' {
    return 'SummaryPendingError'
  }
}

/** 429: too many requests. `retryAfterMs` is the wait that the service asks for, if any. */
export class RateLimitError extends ApiError {
  override get name(): 'RateLimitError' {
    return 'RateLimitError'
  }
}

/**
 * 5xx: the service failed. A create request rejects with this error only after 503 `storage_unavailable`,
 * which means that nothing was changed. Any other 5xx response to a create request is an
 * `OutcomeUnknownError`.
 */
export class ServerError extends ApiError {
  override get name(): 'ServerError' {
    return 'ServerError'
  }
}
