import * as z from 'zod/mini'
import { callAiSummaryShape } from './call-ai-summary-event.ts'
import { limits } from './limits.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

const number = z.string().check(z.minLength(1))

const group = {
  groupId: z.string().check(z.minLength(1), z.maxLength(limits.groupIdMaxLength * 2)),
  groupName: z.string().check(z.minLength(1)),
}
const participant = { ...group, customerPhone: number }

const call = {
  callId: z.string().check(z.minLength(1)),
  channel: Channel,
  callDirection: CallDirection,
  callStatus: z.enum(['INITIATED', 'IN_PROGRESS', 'END']),
  from: number,
  to: number,
  channelNumber: number,
  customerNumber: number,
  agentNumber: z.optional(number),
  callType: CallType,
  triggeredVia: TriggeredVia,
  durationInSeconds: z.optional(z.number().check(z.minimum(0))),
  callStartedAt: z.optional(UtcTimestamp),
  callEndedAt: z.optional(UtcTimestamp),
}

type Sides = { from: string; to: string; channelNumber: string; customerNumber: string }

/** `from` is `channelNumber` and `to` is `customerNumber`, in both directions. */
const sidesAgree = <Event extends Sides>() =>
  z.refine<Event>((event) => event.from === event.channelNumber && event.to === event.customerNumber, {
    error: 'from must equal channelNumber, and to customerNumber',
  })

/**
 * What a server of this project may send: the nine events that the specification names, with every rule that
 * binds a sender and that parsing forgives. Timestamps are UTC with milliseconds, `agentNumber` is absent rather
 * than empty, `from` equals `channelNumber` and `to` equals `customerNumber`, and no field is beside the contract.
 */
export const emittedEventSchemas = {
  GROUP_CREATED: z.strictObject({
    event: z.literal('GROUP_CREATED'),
    ...group,
    inviteLink: z.nullable(z.string()),
    groupCreatedAt: UtcTimestamp,
  }),
  GROUP_PARTICIPANT_JOINED: z.strictObject({
    event: z.literal('GROUP_PARTICIPANT_JOINED'),
    ...participant,
    participantJoinedAt: UtcTimestamp,
  }),
  GROUP_PARTICIPANT_LEFT: z.strictObject({
    event: z.literal('GROUP_PARTICIPANT_LEFT'),
    ...participant,
    participantLeftAt: UtcTimestamp,
  }),
  GROUP_PARTICIPANT_REMOVED: z.strictObject({
    event: z.literal('GROUP_PARTICIPANT_REMOVED'),
    ...participant,
    participantRemovedAt: UtcTimestamp,
  }),
  CALL_INCOMING_INITIATED: z
    .strictObject({ event: z.literal('CALL_INCOMING_INITIATED'), ...call })
    .check(sidesAgree()),
  CALL_OUTGOING_INITIATED: z
    .strictObject({ event: z.literal('CALL_OUTGOING_INITIATED'), ...call })
    .check(sidesAgree()),
  CALL_ACCEPTED: z.strictObject({ event: z.literal('CALL_ACCEPTED'), ...call }).check(sidesAgree()),
  CALL_ENDED: z.strictObject({ event: z.literal('CALL_ENDED'), ...call }).check(sidesAgree()),
  CALL_AI_SUMMARY: z.strictObject(callAiSummaryShape(UtcTimestamp)).check(sidesAgree()),
} as const

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
export const emittedEventNames: readonly EmittedEventName[] =
  Object.keys(emittedEventSchemas).filter(isEmittedEventName)
