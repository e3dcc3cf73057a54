import * as z from 'zod/mini'
import { CallSummary } from './call-ai-summary-event.ts'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

const group = <Name extends string>(name: Name) => ({
  event: z.literal(name),
  groupId: storable({ min: 1, max: limits.groupIdMaxLength }),
  groupName: storable({ min: 1, max: limits.subjectMaxLength }),
})

const participant = <Name extends string>(name: Name) => ({ ...group(name), customerPhone: nonEmpty() })

const call = () => ({
  callId: nonEmpty(),
  channel: Channel,
  callDirection: CallDirection as z.ZodMiniType<CallDirection>,
  from: nonEmpty(),
  to: nonEmpty(),
  channelNumber: nonEmpty(),
  customerNumber: nonEmpty(),
  agentNumber: z.optional(nonEmpty()),
  callType: CallType,
  triggeredVia: TriggeredVia,
})

const seconds = () => z.number().check(z.minimum(0))

const times = () => ({
  durationInSeconds: z.optional(seconds()),
  callStartedAt: z.optional(UtcTimestamp),
  callEndedAt: z.optional(UtcTimestamp),
})

/** Fields of a call's lifecycle event as a server of this project sends it. */
export type EmittedCallShape<Name extends string, Status extends string> = {
  event: z.ZodMiniLiteral<Name>
  callStatus: z.ZodMiniLiteral<Status>
} & ReturnType<typeof call> &
  ReturnType<typeof times>

type Sides = { from: string; to: string; channelNumber: string; customerNumber: string }

/** `from` is `channelNumber` and `to` is `customerNumber`, in both directions. */
const sidesAgree = <Event extends Sides>() =>
  z.refine<Event>((event) => event.from === event.channelNumber && event.to === event.customerNumber, {
    error: 'from must equal channelNumber, and to customerNumber',
  })

const callEvent = <Name extends string, Status extends string>(
  name: Name,
  callStatus: Status,
  callDirection: z.ZodMiniType<CallDirection> = CallDirection,
): z.ZodMiniObject<EmittedCallShape<Name, Status>, z.core.$strict> =>
  z
    .strictObject({
      event: z.literal(name),
      ...call(),
      ...times(),
      callDirection,
      callStatus: z.literal(callStatus),
    })
    .check(sidesAgree())

const schemas = () =>
  ({
    GROUP_CREATED: z.strictObject({
      ...group('GROUP_CREATED'),
      inviteLink: z.nullable(z.string()),
      groupCreatedAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_JOINED: z.strictObject({
      ...participant('GROUP_PARTICIPANT_JOINED'),
      participantJoinedAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_LEFT: z.strictObject({
      ...participant('GROUP_PARTICIPANT_LEFT'),
      participantLeftAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_REMOVED: z.strictObject({
      ...participant('GROUP_PARTICIPANT_REMOVED'),
      participantRemovedAt: UtcTimestamp,
    }),
    CALL_INCOMING_INITIATED: callEvent('CALL_INCOMING_INITIATED', 'INITIATED', z.literal('INCOMING')),
    CALL_OUTGOING_INITIATED: callEvent('CALL_OUTGOING_INITIATED', 'INITIATED', z.literal('OUTGOING')),
    CALL_ACCEPTED: callEvent('CALL_ACCEPTED', 'IN_PROGRESS'),
    CALL_ENDED: callEvent('CALL_ENDED', 'END'),
    CALL_AI_SUMMARY: z
      .strictObject({
        event: z.literal('CALL_AI_SUMMARY'),
        ...call(),
        callStatus: z.literal('END') as z.ZodMiniType<string>,
        durationInSeconds: seconds(),
        callStartedAt: UtcTimestamp,
        callEndedAt: UtcTimestamp,
        summary: CallSummary,
      })
      .check(sidesAgree()),
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
