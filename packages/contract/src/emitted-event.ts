import * as z from 'zod/mini'
import { emittedCallEvent, emittedSummaryEvent } from './emitted-call.ts'
import { emittedGroup, emittedParticipant } from './emitted-group.ts'
import { UtcTimestamp } from './timestamp.ts'

const schemas = () =>
  ({
    /** How GROUP_CREATED is sent. */
    GROUP_CREATED: z.strictObject({
      ...emittedGroup('GROUP_CREATED'),
      /** Lets anyone who has it join: treat it as a credential. */
      inviteLink: z.nullable(z.string()),
      /** When the group was created, ISO 8601. */
      groupCreatedAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_JOINED is sent. */
    GROUP_PARTICIPANT_JOINED: z.strictObject({
      ...emittedParticipant('GROUP_PARTICIPANT_JOINED'),
      /** When the participant joined, ISO 8601. */
      participantJoinedAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_LEFT is sent. */
    GROUP_PARTICIPANT_LEFT: z.strictObject({
      ...emittedParticipant('GROUP_PARTICIPANT_LEFT'),
      /** When the participant left, ISO 8601. */
      participantLeftAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_REMOVED is sent. */
    GROUP_PARTICIPANT_REMOVED: z.strictObject({
      ...emittedParticipant('GROUP_PARTICIPANT_REMOVED'),
      /** When the participant was removed, ISO 8601. */
      participantRemovedAt: UtcTimestamp,
    }),
    /** How CALL_INCOMING_INITIATED is sent. */
    CALL_INCOMING_INITIATED: emittedCallEvent('CALL_INCOMING_INITIATED', 'INITIATED', {
      direction: z.literal('INCOMING'),
    }),
    /** How CALL_OUTGOING_INITIATED is sent. */
    CALL_OUTGOING_INITIATED: emittedCallEvent('CALL_OUTGOING_INITIATED', 'INITIATED', {
      direction: z.literal('OUTGOING'),
    }),
    /** How CALL_ACCEPTED is sent. */
    CALL_ACCEPTED: emittedCallEvent('CALL_ACCEPTED', 'IN_PROGRESS'),
    /** How CALL_ENDED is sent. */
    CALL_ENDED: emittedCallEvent('CALL_ENDED', 'END'),
    /** How CALL_AI_SUMMARY is sent. */
    CALL_AI_SUMMARY: emittedSummaryEvent(),
  }) as const
/**
 * What a server of this project may send: the nine events that the specification names, with every rule that
 * binds a sender and that parsing forgives. Timestamps are UTC with milliseconds, `agentNumber` is absent rather
 * than empty, `from` equals `channelNumber` and `to` equals `customerNumber`, and no field is beside the contract.
 */
export const emittedEventSchemas = /* @__PURE__ */ schemas()

/** Name of an event that the reference server emits: one of the nine that the specification names. */
export type EmittedEventName = keyof typeof emittedEventSchemas

/** The event of one name as the reference server emits it. */
export type EmittedEventOf<Name extends EmittedEventName> = z.infer<(typeof emittedEventSchemas)[Name]>

/** Any event that the reference server emits; each is also a `WebhookEvent`. */
export type EmittedEvent = { [Name in EmittedEventName]: EmittedEventOf<Name> }[EmittedEventName]

/** Tells whether `name` is an event that the reference server emits. */
export const isEmittedEventName = (name: unknown): name is EmittedEventName =>
  typeof name === 'string' && Object.hasOwn(emittedEventSchemas, name)

/** The names of the nine events that the reference server emits. */
export const emittedEventNames: readonly EmittedEventName[] = /* @__PURE__ */ (() =>
  Object.keys(emittedEventSchemas).filter(isEmittedEventName))()
