import type { CallAiSummaryEvent } from './call-ai-summary-event.ts'
import type {
  CallAcceptedEvent,
  CallEndedEvent,
  CallIncomingInitiatedEvent,
  CallMissedEvent,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
} from './call-events.ts'
import type {
  GroupCreatedEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
} from './group-events.ts'

/** Any known event: a union discriminated by `event`, so that a `switch` on it narrows the type. */
export type WebhookEvent =
  | GroupCreatedEvent
  | GroupParticipantJoinedEvent
  | GroupParticipantLeftEvent
  | GroupParticipantRemovedEvent
  | CallIncomingInitiatedEvent
  | CallOutgoingInitiatedEvent
  | CallAcceptedEvent
  | CallEndedEvent
  | CallAiSummaryEvent
  | CallMissedEvent
  | CallRejectedEvent
  | CallNotPickedEvent

/** Name of a known event. */
export type EventName = WebhookEvent['event']

/** An event by name: `WebhookEventOf<'CALL_ENDED'>` is {@link CallEndedEvent}. */
export type WebhookEventOf<Name extends EventName> = Extract<WebhookEvent, { event: Name }>
