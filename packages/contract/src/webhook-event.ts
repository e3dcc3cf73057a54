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
  readonly GROUP_CREATED: typeof GroupCreatedEvent
  readonly GROUP_PARTICIPANT_JOINED: typeof GroupParticipantJoinedEvent
  readonly GROUP_PARTICIPANT_LEFT: typeof GroupParticipantLeftEvent
  readonly GROUP_PARTICIPANT_REMOVED: typeof GroupParticipantRemovedEvent
  readonly CALL_INCOMING_INITIATED: typeof CallIncomingInitiatedEvent
  readonly CALL_OUTGOING_INITIATED: typeof CallOutgoingInitiatedEvent
  readonly CALL_ACCEPTED: typeof CallAcceptedEvent
  readonly CALL_ENDED: typeof CallEndedEvent
  readonly CALL_AI_SUMMARY: typeof CallAiSummaryEvent
  readonly CALL_MISSED: typeof CallMissedEvent
  readonly CALL_REJECTED: typeof CallRejectedEvent
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

/** Tells whether `name` is the name of a known event. */
export const isEventName = (name: unknown): name is EventName =>
  typeof name === 'string' && Object.hasOwn(eventSchemas, name)

/** The names of all known events. */
export const eventNames: readonly EventName[] = /* @__PURE__ */ (() =>
  Object.keys(eventSchemas).filter(isEventName))()
