import * as z from 'zod/mini'
import { type CallAiSummaryShape, CallSummary } from './call-ai-summary-event.ts'
import { type CallFactsShape, callFacts } from './call-facts.ts'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection } from './vocabulary.ts'

/** An object schema that refuses unknown fields. */
export type Strict<Shape extends z.core.$ZodShape> = z.ZodMiniObject<Shape, z.core.$strict>

const group = <Name extends string>(name: Name) => ({
  /** The event's name. */
  event: z.literal(name),
  /** The group's id: the `groupId` of the create response. */
  groupId: storable({ min: 1, max: limits.groupIdMaxLength }),
  /** The group's name. */
  groupName: storable({ min: 1, max: limits.subjectMaxLength }),
})

const participant = <Name extends string>(name: Name) => ({
  ...group(name),
  /** The participant's phone number. */
  customerPhone: nonEmpty(),
})

type Measured = 'durationInSeconds' | 'callStartedAt' | 'callEndedAt'

/**
 * Fields of a call's lifecycle event as a server of this project sends it.
 *
 * @interface
 */
export type EmittedCallShape<Name extends string, Status extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
  /** The call's status. */
  callStatus: z.ZodMiniLiteral<Status>
} & Omit<CallFactsShape, 'callStatus' | Measured> & {
    [Field in keyof Pick<CallFactsShape, Measured>]: z.ZodMiniOptional<CallFactsShape[Field]>
  }

type Sides = { from: string; to: string; channelNumber: string; customerNumber: string }

/** `from` is `channelNumber` and `to` is `customerNumber`, in both directions. */
const sidesAgree = <Event extends Sides>() =>
  z.refine<Event>((event) => event.from === event.channelNumber && event.to === event.customerNumber, {
    error: 'from must equal channelNumber, and to customerNumber',
  })

const rules = () => ({
  direction: CallDirection,
  seconds: z.number().check(z.minimum(0)),
  time: UtcTimestamp,
  number: nonEmpty(),
})

const callEvent = <Name extends string, Status extends string>(
  name: Name,
  callStatus: Status,
  only: { readonly direction?: z.ZodMiniType<CallDirection> } = {},
): Strict<EmittedCallShape<Name, Status>> => {
  const status = z.literal(callStatus)
  const facts = callFacts({ ...rules(), status, ...only })
  return z
    .strictObject({
      ...facts,
      event: z.literal(name),
      callStatus: status,
      durationInSeconds: z.optional(facts.durationInSeconds),
      callStartedAt: z.optional(facts.callStartedAt),
      callEndedAt: z.optional(facts.callEndedAt),
    })
    .check(sidesAgree())
}

const summaryEvent = (): Strict<CallAiSummaryShape> =>
  z
    .strictObject({
      event: z.literal('CALL_AI_SUMMARY'),
      ...callFacts({ ...rules(), status: z.literal('END') }),
      summary: CallSummary,
    })
    .check(sidesAgree())

const schemas = () =>
  ({
    /** How GROUP_CREATED is sent. */
    GROUP_CREATED: z.strictObject({
      ...group('GROUP_CREATED'),
      /** Lets anyone who has it join: treat it as a credential. */
      inviteLink: z.nullable(z.string()),
      /** When the group was created, ISO 8601. */
      groupCreatedAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_JOINED is sent. */
    GROUP_PARTICIPANT_JOINED: z.strictObject({
      ...participant('GROUP_PARTICIPANT_JOINED'),
      /** When the participant joined, ISO 8601. */
      participantJoinedAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_LEFT is sent. */
    GROUP_PARTICIPANT_LEFT: z.strictObject({
      ...participant('GROUP_PARTICIPANT_LEFT'),
      /** When the participant left, ISO 8601. */
      participantLeftAt: UtcTimestamp,
    }),
    /** How GROUP_PARTICIPANT_REMOVED is sent. */
    GROUP_PARTICIPANT_REMOVED: z.strictObject({
      ...participant('GROUP_PARTICIPANT_REMOVED'),
      /** When the participant was removed, ISO 8601. */
      participantRemovedAt: UtcTimestamp,
    }),
    /** How CALL_INCOMING_INITIATED is sent. */
    CALL_INCOMING_INITIATED: callEvent('CALL_INCOMING_INITIATED', 'INITIATED', {
      direction: z.literal('INCOMING'),
    }),
    /** How CALL_OUTGOING_INITIATED is sent. */
    CALL_OUTGOING_INITIATED: callEvent('CALL_OUTGOING_INITIATED', 'INITIATED', {
      direction: z.literal('OUTGOING'),
    }),
    /** How CALL_ACCEPTED is sent. */
    CALL_ACCEPTED: callEvent('CALL_ACCEPTED', 'IN_PROGRESS'),
    /** How CALL_ENDED is sent. */
    CALL_ENDED: callEvent('CALL_ENDED', 'END'),
    /** How CALL_AI_SUMMARY is sent. */
    CALL_AI_SUMMARY: summaryEvent(),
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
