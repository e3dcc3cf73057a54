import type { EventName, WebhookEventOf } from '@wabakit/wire'
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
import type { ObjectSchema } from './exact.ts'
import {
  GroupCreatedEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
} from './group-events.ts'

/**
 * Lenient schemas for receiving events, by name: the nine events of the specification, then three that a live service
 * sends. {@link emittedEventSchemas} has the strict schemas for sending.
 */
export const eventSchemas: { readonly [Name in EventName]: ObjectSchema<WebhookEventOf<Name>> } = {
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
