// The client and its methods.

export type { ApiPromise, WithResponse } from './api-promise.ts'
export { type Calls, type Client, createClient, type Groups } from './create-client.ts'

// Options of the client and of single calls.

export type { Auth } from './options/auth.ts'
export type { ClientOptions, RetryOptions } from './options/client-options.ts'
export type { Clock } from './options/clock.ts'
export type { Fetch, FetchInit, FetchResponse } from './options/fetch.ts'
export type {
  AfterErrorContext,
  AfterResponseContext,
  BeforeRetryContext,
  HookRequest,
  Hooks,
} from './options/hooks.ts'
export type { LogFields, Logger } from './options/logger.ts'
export type { RequestOptions, SummaryEvents, WaitOptions } from './options/request-options.ts'
export type { CallTrace } from './retry/trace-call.ts'

// The base class of all errors, and its guard.

export { isWabakitError, WabakitError, type WabakitErrorCode } from './errors/wabakit-error.ts'

// Error responses of the service, by status.

export {
  ApiError,
  type ApiErrorDetails,
  type ApiErrorName,
  AuthenticationError,
  BadRequestError,
  isApiError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  SummaryPendingError,
  SummaryUnavailableError,
  UnprocessableError,
} from './errors/api-errors.ts'

// All other errors.

export { ConnectionError } from './errors/connection-error.ts'
export { OutcomeUnknownError } from './errors/outcome-unknown-error.ts'
export { ResponseFormatError, type ResponseFormatErrorDetails } from './errors/response-format-error.ts'
export { TimeoutError, type TimeoutErrorDetails } from './errors/timeout-error.ts'
export { ValidationError } from './errors/validation-error.ts'

// Withheld: the retry rules, the redaction of secrets and the generator of group ids. Change them through `retry`,
// `hooks`, `random` and `generateGroupIds`. Requests and responses are typed by @wabakit/contract.
