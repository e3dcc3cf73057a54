export type { ApiPromise, WithResponse } from './api-promise.ts'
export { type Calls, type Client, createClient, type Groups } from './create-client.ts'
export { ApiError, type ApiErrorDetails, type ApiErrorName, isApiError } from './errors/api-error.ts'
export { AuthenticationError } from './errors/authentication-error.ts'
export { BadRequestError } from './errors/bad-request-error.ts'
export { ConnectionError } from './errors/connection-error.ts'
export { NotFoundError } from './errors/not-found-error.ts'
export { OutcomeUnknownError } from './errors/outcome-unknown-error.ts'
export { PermissionDeniedError } from './errors/permission-denied-error.ts'
export { RateLimitError } from './errors/rate-limit-error.ts'
export { ResponseFormatError, type ResponseFormatErrorDetails } from './errors/response-format-error.ts'
export { ServerError } from './errors/server-error.ts'
export { SummaryPendingError } from './errors/summary-pending-error.ts'
export { SummaryUnavailableError } from './errors/summary-unavailable-error.ts'
export { TimeoutError, type TimeoutErrorDetails } from './errors/timeout-error.ts'
export { UnprocessableError } from './errors/unprocessable-error.ts'
export { ValidationError } from './errors/validation-error.ts'
export { isWabakitError, WabakitError, type WabakitErrorCode } from './errors/wabakit-error.ts'
export type { Auth } from './options/auth.ts'
export type { ClientOptions, RequestOptions, RetryOptions } from './options/client-options.ts'
export type { Clock } from './options/clock.ts'
export type {
  AfterErrorContext,
  AfterResponseContext,
  BeforeRetryContext,
  HookRequest,
  Hooks,
} from './options/hooks.ts'
export type { LogFields, Logger } from './options/logger.ts'
export type { SummaryEvents, WaitOptions } from './options/wait-options.ts'
