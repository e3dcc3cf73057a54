// Values, and types without a schema.

export {
  type CallLifecycleEvent,
  type EndpointName,
  type ErrorCode,
  type ErrorStatus,
  type EventName,
  endpoints,
  errorCodes,
  eventNames,
  type GroupEvent,
  isErrorCode,
  isEventName,
  type OpenEnum,
  type ParticipantEvent,
  parseRetryAfter,
  redact,
  type Validation,
  validateEvent,
  type WebhookEvent,
  type WebhookEventOf,
} from '@wabakit/wire'

// Requests and responses of the two endpoints.

export { limits } from '@wabakit/wire/definitions'
export { CreateGroupRequest, CreateGroupResponse, createGroupErrorCodes } from './create-group.ts'
export { CallSummary, SummaryRecord } from './summary.ts'

// Error bodies.

export { ErrorBody, ReceivedErrorBody, reasonPhrases } from './error-body.ts'

// Events as received: lenient.

export * from './events.ts'

// Events as the reference server sends them: strict.

export {
  isPublishedEventName,
  type PublishedEvent,
  type PublishedEventName,
  type PublishedEventOf,
  publishedEventSchemas,
} from './published-event.ts'

// Events about subscriptions, for operators.

export { HealthEvent, HealthEventData, type HealthEventName, healthEventNames } from './health-event.ts'

// Values that requests, responses and events share.

export { UtcTimestamp } from './text.ts'
export { CallDirection, CallStatus, CallType, Channel, JoinApprovalMode, TriggeredVia } from './vocabulary.ts'

// Validating and reading.

export { extraFields } from './extra-fields.ts'
export { Issue, toIssues, validate } from './issue.ts'
export type { ObjectSchema } from './schema.ts'

// Not exported: the schema builders (createSchema, text, storable …).
