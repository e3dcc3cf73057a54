// Generated from the definitions by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type * as wire from '@wabakit/wire'
import { callAiSummaryRule, callLifecycleRule, callMissedRule, groupCreatedRule, participantJoinedRule, participantLeftRule, participantRemovedRule } from '@wabakit/wire/definitions'
import { createEventSchema, type ObjectSchema } from './schema.ts'

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = wire.GroupCreatedEvent

/** Schema of {@link GroupCreatedEvent}. */
export const GroupCreatedEvent: ObjectSchema<GroupCreatedEvent> = /* @__PURE__ */ createEventSchema('GROUP_CREATED', groupCreatedRule)

/**
 * A participant joined the group.
 *
 * @interface
 */
export type GroupParticipantJoinedEvent = wire.GroupParticipantJoinedEvent

/** Schema of {@link GroupParticipantJoinedEvent}. */
export const GroupParticipantJoinedEvent: ObjectSchema<GroupParticipantJoinedEvent> = /* @__PURE__ */ createEventSchema('GROUP_PARTICIPANT_JOINED', participantJoinedRule)

/**
 * A participant left the group.
 *
 * @interface
 */
export type GroupParticipantLeftEvent = wire.GroupParticipantLeftEvent

/** Schema of {@link GroupParticipantLeftEvent}. */
export const GroupParticipantLeftEvent: ObjectSchema<GroupParticipantLeftEvent> = /* @__PURE__ */ createEventSchema('GROUP_PARTICIPANT_LEFT', participantLeftRule)

/**
 * A participant was removed from the group.
 *
 * @interface
 */
export type GroupParticipantRemovedEvent = wire.GroupParticipantRemovedEvent

/** Schema of {@link GroupParticipantRemovedEvent}. */
export const GroupParticipantRemovedEvent: ObjectSchema<GroupParticipantRemovedEvent> = /* @__PURE__ */ createEventSchema('GROUP_PARTICIPANT_REMOVED', participantRemovedRule)

/**
 * A customer is calling the business. This is the first event of an incoming call.
 *
 * @interface
 */
export type CallIncomingInitiatedEvent = wire.CallIncomingInitiatedEvent

/** Schema of {@link CallIncomingInitiatedEvent}. */
export const CallIncomingInitiatedEvent: ObjectSchema<CallIncomingInitiatedEvent> = /* @__PURE__ */ createEventSchema('CALL_INCOMING_INITIATED', callLifecycleRule)

/**
 * The business is calling a customer. This is the first event of an outgoing call.
 *
 * @interface
 */
export type CallOutgoingInitiatedEvent = wire.CallOutgoingInitiatedEvent

/** Schema of {@link CallOutgoingInitiatedEvent}. */
export const CallOutgoingInitiatedEvent: ObjectSchema<CallOutgoingInitiatedEvent> = /* @__PURE__ */ createEventSchema('CALL_OUTGOING_INITIATED', callLifecycleRule)

/**
 * The call was answered.
 *
 * @interface
 */
export type CallAcceptedEvent = wire.CallAcceptedEvent

/** Schema of {@link CallAcceptedEvent}. */
export const CallAcceptedEvent: ObjectSchema<CallAcceptedEvent> = /* @__PURE__ */ createEventSchema('CALL_ACCEPTED', callLifecycleRule)

/**
 * The call ended. If it was not answered, `callStartedAt` may be an empty string.
 *
 * @interface
 */
export type CallEndedEvent = wire.CallEndedEvent

/** Schema of {@link CallEndedEvent}. */
export const CallEndedEvent: ObjectSchema<CallEndedEvent> = /* @__PURE__ */ createEventSchema('CALL_ENDED', callLifecycleRule)

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * The reference server sends `from` equal to `channelNumber` and `to` equal to `customerNumber`, except in custom payloads.
 * Parsing does not require this.
 *
 * @interface
 */
export type CallAiSummaryEvent = wire.CallAiSummaryEvent

/** Schema of {@link CallAiSummaryEvent}. */
export const CallAiSummaryEvent: ObjectSchema<CallAiSummaryEvent> = /* @__PURE__ */ createEventSchema('CALL_AI_SUMMARY', callAiSummaryRule)

/**
 * The call ended without an answer. On WhatsApp, it is an incoming call that no agent answered; PSTN calls may be
 * outgoing. CALL_ENDED does not necessarily follow. A live service sends this event; the reference server sends it
 * only in simulations and as a test event.
 *
 * @interface
 */
export type CallMissedEvent = wire.CallMissedEvent

/** Schema of {@link CallMissedEvent}. */
export const CallMissedEvent: ObjectSchema<CallMissedEvent> = /* @__PURE__ */ createEventSchema('CALL_MISSED', callMissedRule)

/**
 * The call was declined, which ended it. Not sent for PSTN calls. A live service sends this event; the reference server
 * sends it only in simulations and as a test event.
 *
 * @interface
 */
export type CallRejectedEvent = wire.CallRejectedEvent

/** Schema of {@link CallRejectedEvent}. */
export const CallRejectedEvent: ObjectSchema<CallRejectedEvent> = /* @__PURE__ */ createEventSchema('CALL_REJECTED', callLifecycleRule)

/**
 * One agent did not answer in time, and the incoming WhatsApp call rings for the next one. The call does not
 * end: another event follows, such as CALL_ACCEPTED or CALL_MISSED. Sent once for each such agent. It does not identify the agent, so two of
 * these events of one call may be identical. Deliveries may also be repeated, so their number is an upper bound on
 * the number of agents. A live service sends this event; the reference server sends it only in simulations
 * and as a test event.
 *
 * @interface
 */
export type CallNotPickedEvent = wire.CallNotPickedEvent

/** Schema of {@link CallNotPickedEvent}. */
export const CallNotPickedEvent: ObjectSchema<CallNotPickedEvent> = /* @__PURE__ */ createEventSchema('CALL_NOT_PICKED', callLifecycleRule)

/**
 * Lenient schemas for receiving events, by name: first those of the specification, then those of live services.
 * {@link publishedEventSchemas} has the strict schemas for sending.
 */
export const eventSchemas: { readonly [Name in wire.EventName]: ObjectSchema<wire.WebhookEventOf<Name>> } = {
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
