import type * as z from 'zod/mini'
import { CallAiSummaryEvent } from './call-ai-summary-event.ts'
import {
  CallAcceptedEvent,
  CallEndedEvent,
  CallIncomingInitiatedEvent,
  CallMissedEvent,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
} from './call-events.ts'
import {
  GroupCreatedEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
} from './group-events.ts'

/** The type of {@link eventSchemas}. */
export type EventSchemas = {
  /** How GROUP_CREATED is received. */
  readonly GROUP_CREATED: typeof GroupCreatedEvent
  /** How GROUP_PARTICIPANT_JOINED is received. */
  readonly GROUP_PARTICIPANT_JOINED: typeof GroupParticipantJoinedEvent
  /** How GROUP_PARTICIPANT_LEFT is received. */
  readonly GROUP_PARTICIPANT_LEFT: typeof GroupParticipantLeftEvent
  /** How GROUP_PARTICIPANT_REMOVED is received. */
  readonly GROUP_PARTICIPANT_REMOVED: typeof GroupParticipantRemovedEvent
  /** How CALL_INCOMING_INITIATED is received. */
  readonly CALL_INCOMING_INITIATED: typeof CallIncomingInitiatedEvent
  /** How CALL_OUTGOING_INITIATED is received. */
  readonly CALL_OUTGOING_INITIATED: typeof CallOutgoingInitiatedEvent
  /** How CALL_ACCEPTED is received. */
  readonly CALL_ACCEPTED: typeof CallAcceptedEvent
  /** How CALL_ENDED is received. */
  readonly CALL_ENDED: typeof CallEndedEvent
  /** How CALL_AI_SUMMARY is received. */
  readonly CALL_AI_SUMMARY: typeof CallAiSummaryEvent
  /** How CALL_MISSED is received. */
  readonly CALL_MISSED: typeof CallMissedEvent
  /** How CALL_REJECTED is received. */
  readonly CALL_REJECTED: typeof CallRejectedEvent
  /** How CALL_NOT_PICKED is received. */
  readonly CALL_NOT_PICKED: typeof CallNotPickedEvent
}

/** The schema of each known event by its name: the nine of the specification, then three seen on a live service. */
export const eventSchemas: EventSchemas = {
  GROUP_CREATED: GroupCreatedEvent,
  GROUP_PARTICIPANT_JOINED: GroupParticipantJoinedEvent,
  GROUP_PARTICIPANT_LEFT: GroupParticipantLeftEvent,
  GROUP_PARTICIPANT_REMOVED: GroupParticipantRemovedEvent,
  CALL_INCOMING_INITIATED: CallIncomingInitiatedEvent,
  CALL_OUTGOING_INITIATED: CallOutgoingInitiatedEvent,
  CALL_ACCEPTED: CallAcceptedEvent,
  CALL_ENDED: CallEndedEvent,
  CALL_AI_SUMMARY: CallAiSummaryEvent,
  CALL_MISSED: CallMissedEvent,
  CALL_REJECTED: CallRejectedEvent,
  CALL_NOT_PICKED: CallNotPickedEvent,
}

/** Name of a known event. */
export type EventName = Extract<keyof EventSchemas, string>

/** The event of one name: `WebhookEventOf<'CALL_ENDED'>` is `CallEndedEvent`. */
export type WebhookEventOf<Name extends EventName> = z.infer<EventSchemas[Name]>

/** Any known event: a union discriminated on `event`, so that a `switch` over it narrows. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName]
