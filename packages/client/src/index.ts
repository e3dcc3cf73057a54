// The client and its methods.

export type { CalledEndpoint, WithResponse } from './api-call.ts'
export { type ApiPromise, type Client, createClient } from './create-client.ts'

// Options for the client and for individual calls.

export type { Auth, ClientOptions, Fetch, FetchInit, RetryOptions } from './options/client-options.ts'
export type { Clock } from './options/clock.ts'
export type { HookRequest, Hooks, LogFields, Logger } from './options/hooks.ts'
export type { RequestOptions, SummaryEvents, WaitOptions } from './options/request-options.ts'
export type { CallTrace } from './retry/send.ts'
export type { AnyRequest } from './send-any.ts'

// The base class of all errors, its guard, and the error for invalid options and input.

export {
  isWabakitError,
  ValidationError,
  WabakitError,
  type WabakitErrorCode,
} from './errors/wabakit-error.ts'

// Error responses from the service, by status.

export {
  ApiError,
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

// Calls without a usable response.

export {
  ConnectionError,
  OutcomeUnknownError,
  ResponseFormatError,
  TimeoutError,
} from './errors/call-errors.ts'

// Requests, responses and events, as declared by the wire format.

export type {
  CallAiSummaryEvent,
  CallDirection,
  CallStatus,
  CallSummary,
  CallType,
  Channel,
  CreateGroupRequest,
  CreateGroupResponse,
  Issue,
  JoinApprovalMode,
  OpenEnum,
  ReceivedErrorBody,
  SummaryRecord,
  TriggeredVia,
} from '@wabakit/wire'

// Not exported: the retry rules, the hiding of secrets and the generator of group ids. Change them through `retry`,
// `hooks`, `random` and `generateGroupIds`.
