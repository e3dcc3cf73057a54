// Requests and responses of the two endpoints.

export { CreateGroupRequest, CreateGroupResponse, createGroupErrorCodes } from './create-group.ts'
export { type EndpointName, endpoints } from './endpoints.ts'
export { limits } from './limits.ts'
export { SummaryRecord } from './summary.ts'

// Error bodies.

export { ErrorBody, ReceivedErrorBody } from './error-body.ts'
export { type ErrorCode, type ErrorStatus, errorCodes, isErrorCode } from './error-codes.ts'
export { reasonPhrases } from './reason-phrases.ts'

// Events as received: lenient.

export { CallAiSummaryEvent, CallSummary } from './call-ai-summary-event.ts'
export type { CallDetails } from './call-details.ts'
export {
  CallAcceptedEvent,
  CallEndedEvent,
  CallIncomingInitiatedEvent,
  type CallLifecycleEvent,
  CallMissedEvent,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
} from './call-events.ts'
export type { CallFacts } from './call-facts.ts'
export {
  GroupCreatedEvent,
  type GroupEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
  type ParticipantEvent,
} from './group-events.ts'
export { eventNames, isEventName } from './validate-event.ts'
export {
  type EventName,
  eventSchemas,
  type WebhookEvent,
  type WebhookEventOf,
} from './webhook-event.ts'

// Events as the reference server sends them: strict.

export type { EmittedCallEvent } from './emitted-call.ts'
export {
  type EmittedEvent,
  type EmittedEventName,
  type EmittedEventOf,
  emittedEventNames,
  emittedEventSchemas,
  isEmittedEventName,
} from './emitted-event.ts'

// Values that requests, responses and events share.

export { Timestamp, TimestampOrEmpty, UtcTimestamp } from './timestamp.ts'
export { CallDirection, CallType, Channel, JoinApprovalMode, TriggeredVia } from './vocabulary.ts'

// Validating and reading.

export type { ObjectSchema } from './exact.ts'
export { extraFields, type SchemaWithShape } from './extra-fields.ts'
export type { Flat } from './flat.ts'
export { Issue, toIssues } from './issue.ts'
export { redact } from './redact.ts'
export { parseRetryAfter } from './retry-after.ts'
export { type Validation, validate } from './validate.ts'
export { validateEvent } from './validate-event.ts'

// Withheld: the schema builders (exact, text, storable …) and the code generated from the schemas, which validateEvent
// uses. Flat is exported only because the types of the events refer to it.
