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

/** Type of {@link eventSchemas}. */
export type EventSchemas = {
  /** Schema of GROUP_CREATED. */
  readonly GROUP_CREATED: typeof GroupCreatedEvent
  /** Schema of GROUP_PARTICIPANT_JOINED. */
  readonly GROUP_PARTICIPANT_JOINED: typeof GroupParticipantJoinedEvent
  /** Schema of GROUP_PARTICIPANT_LEFT. */
  readonly GROUP_PARTICIPANT_LEFT: typeof GroupParticipantLeftEvent
  /** Schema of GROUP_PARTICIPANT_REMOVED. */
  readonly GROUP_PARTICIPANT_REMOVED: typeof GroupParticipantRemovedEvent
  /** Schema of CALL_INCOMING_INITIATED. */
  readonly CALL_INCOMING_INITIATED: typeof CallIncomingInitiatedEvent
  /** Schema of CALL_OUTGOING_INITIATED. */
  readonly CALL_OUTGOING_INITIATED: typeof CallOutgoingInitiatedEvent
  /** Schema of CALL_ACCEPTED. */
  readonly CALL_ACCEPTED: typeof CallAcceptedEvent
  /** Schema of CALL_ENDED. */
  readonly CALL_ENDED: typeof CallEndedEvent
  /** Schema of CALL_AI_SUMMARY. */
  readonly CALL_AI_SUMMARY: typeof CallAiSummaryEvent
  /** Schema of CALL_MISSED. */
  readonly CALL_MISSED: typeof CallMissedEvent
  /** Schema of CALL_REJECTED. */
  readonly CALL_REJECTED: typeof CallRejectedEvent
  /** Schema of CALL_NOT_PICKED. */
  readonly CALL_NOT_PICKED: typeof CallNotPickedEvent
}

/**
 * Lenient schemas for receiving events, by name: the nine events of the specification, then three that a live service
 * sends. {@link emittedEventSchemas} has the strict schemas for sending.
 */
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

/** An event by name: `WebhookEventOf<'CALL_ENDED'>` is {@link CallEndedEvent}. */
export type WebhookEventOf<Name extends EventName> = z.infer<EventSchemas[Name]>

/** Any known event: a union discriminated by `event`, so that a `switch` on it narrows the type. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName]
