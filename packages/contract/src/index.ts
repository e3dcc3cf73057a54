export { CallAiSummaryEvent, type CallAiSummaryShape, CallSummary } from './call-ai-summary-event.ts'
export type { CallDetailsShape } from './call-details.ts'
export {
  CallAcceptedEvent,
  CallEndedEvent,
  type CallEventShape,
  CallIncomingInitiatedEvent,
  CallMissedEvent,
  type CallMissedShape,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
} from './call-events.ts'
export type { CallFactsShape } from './call-facts.ts'
export { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
export type { EmittedCallShape } from './emitted-call.ts'
export {
  type EmittedEvent,
  type EmittedEventName,
  type EmittedEventOf,
  emittedEventNames,
  emittedEventSchemas,
  isEmittedEventName,
} from './emitted-event.ts'
export { type EndpointName, endpoints } from './endpoints.ts'
export { ErrorBody, ReceivedErrorBody } from './error-body.ts'
export { type ErrorCode, type ErrorStatus, errorCodes, isErrorCode } from './error-codes.ts'
export { eventNames, isEventName } from './event-name.ts'
export type { Exact, Strict } from './exact.ts'
export { extraFields, type SchemaWithShape } from './extra-fields.ts'
export {
  GroupCreatedEvent,
  type GroupEventShape,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
  type ParticipantShape,
} from './group-events.ts'
export { Issue, issuesOf } from './issue.ts'
export { limits } from './limits.ts'
export { reasonPhrases } from './reason-phrases.ts'
export { redact } from './redact.ts'
export { SummaryRecord, type SummaryRecordShape } from './summary.ts'
export { Timestamp, TimestampOrEmpty, UtcTimestamp } from './timestamp.ts'
export { type Validation, validate } from './validate.ts'
export { validateEvent } from './validate-event.ts'
export { CallDirection, CallType, Channel, JoinApprovalMode, TriggeredVia } from './vocabulary.ts'
export {
  type EventName,
  type EventSchemas,
  eventSchemas,
  type WebhookEvent,
  type WebhookEventOf,
} from './webhook-event.ts'
