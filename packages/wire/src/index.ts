// Events. A new one in a file of which all types are exported needs no line here.

export type { CallAiSummaryEvent, CallSummary } from './call-ai-summary-event.ts'
export type * from './call-events.ts'
export type { CallDetails, CallFacts } from './call-fields.ts'
export { timestampFields } from './checks.ts'
export type * from './group-events.ts'
export { eventNames, isEventName, validateEvent } from './validate-event.ts'
export type { EventName, WebhookEvent, WebhookEventOf } from './webhook-event.ts'

// Requests and responses of the two endpoints.

export {
  validateCreateGroupRequest,
  validateCreateGroupResponse,
  validateReceivedErrorBody,
  validateSummaryRecord,
} from './checks.ts'
export type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
export { type EndpointName, endpoints } from './endpoints.ts'
export type { ReceivedErrorBody } from './error-body.ts'
export { type ErrorCode, type ErrorStatus, errorCodes, isErrorCode } from './error-codes.ts'
export { parseRetryAfter } from './retry-after.ts'
export type { SummaryRecord } from './summary.ts'

// Values that requests, responses and events share.

export type { Issue, Validation } from './validation.ts'
export type {
  CallDirection,
  CallStatus,
  CallType,
  Channel,
  JoinApprovalMode,
  OpenEnum,
  TriggeredVia,
} from './vocabulary.ts'

// Reading bodies and streams, and recognizing errors of any realm.

export { isBlockedPort } from './blocked-ports.ts'
export { toBodyStream } from './body-stream.ts'
export { type ByteCollector, createByteCollector } from './byte-collector.ts'
export { createStream } from './create-stream.ts'
export { isError } from './is-error.ts'
export { createLinger } from './linger.ts'
export { readBytes, readText } from './read-body.ts'
export { readMessages, type StreamMessage } from './read-messages.ts'
export { receiveRequest } from './receive-request.ts'

// Reading and printing untrusted values, tracing, and timers.

export { findNumber, readDigits } from './find-number.ts'
export { createBulkSecretHider, createSecretFinder, createSecretHider } from './hide-secrets.ts'
export { longestTimerMs } from './longest-timer.ts'
export { isMasked, listMasked, maskUrl, urlMask } from './mask-url.ts'
export { escapeControls, redact } from './safe-text.ts'
export { suggestName } from './suggest-name.ts'
export { findChannel, findTracingChannel } from './tracing.ts'
export { writeJson } from './write-json.ts'
