import { limits } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { CallSummary } from './summary.ts'
import { nonEmpty, storable, UtcTimestamp } from './text.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

const defineGroup = <Name extends string>(name: Name) => ({
  /** The event's name. */
  event: z.literal(name),
  /** The group's id, as in the response to the create request. */
  groupId: storable({ min: 1, max: limits.groupIdMaxLength }),
  /** The group's name. */
  groupName: storable({ min: 1, max: limits.subjectMaxLength }),
})

const defineParticipant = <Name extends string>(name: Name) => ({
  ...defineGroup(name),
  /** The participant's phone number. */
  customerPhone: nonEmpty(),
})

const defineCall = <Name extends string, Status extends string>(name: Name, status: Status) => ({
  /** The event's name. */
  event: z.literal(name),
  /** The network of the call: `PSTN` (telephone) or `WHATSAPP`. */
  channel: Channel,
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: CallDirection,
  /** Duration of the call in seconds. */
  durationInSeconds: z.number().check(z.minimum(0)),
  /** When the conversation started, in ISO 8601. */
  callStartedAt: UtcTimestamp,
  /** When the call ended, in ISO 8601. */
  callEndedAt: UtcTimestamp,
  /** The organization's number, for calls in either direction. */
  from: nonEmpty(),
  /** The customer's phone number, for calls in either direction. */
  to: nonEmpty(),
  /** Same as `from`. */
  channelNumber: nonEmpty(),
  /** Same as `to`. */
  customerNumber: nonEmpty(),
  /**
   * Phone number of the team member who handled or started the call. Absent, never empty, if no team member
   * did. It may change: use it for display and audit, not for matching.
   */
  agentNumber: z.optional(nonEmpty()),
  /** Party that handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: CallType,
  /** Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: TriggeredVia,
  /** The call's status. */
  callStatus: z.literal(status),
})

const requireMatchingNumbers = () =>
  z.refine<{ from: string; to: string; channelNumber: string; customerNumber: string }>(
    ({ from, to, channelNumber, customerNumber }) => from === channelNumber && to === customerNumber,
    { error: 'from must equal channelNumber, and to must equal customerNumber' },
  )

const defineLifecycleEvent = <Name extends string, Status extends string>(
  name: Name,
  status: Status,
  direction: z.ZodMiniType<CallDirection> = CallDirection,
) => {
  const call = defineCall(name, status)
  return z
    .strictObject({
      ...call,
      /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
      callDirection: direction,
      /** Duration of the call in seconds. */
      durationInSeconds: z.optional(call.durationInSeconds),
      /** When the conversation started, in ISO 8601. */
      callStartedAt: z.optional(call.callStartedAt),
      /** When the call ended, in ISO 8601. */
      callEndedAt: z.optional(call.callEndedAt),
    })
    .check(requireMatchingNumbers())
}

const defineSchemas = () =>
  ({
    GROUP_CREATED: z.strictObject({
      ...defineGroup('GROUP_CREATED'),
      /** Link with which anyone may join the group, or ask to join: treat it as a credential. */
      inviteLink: z.nullable(z.string()),
      /** When the group was created, in ISO 8601. */
      groupCreatedAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_JOINED: z.strictObject({
      ...defineParticipant('GROUP_PARTICIPANT_JOINED'),
      /** When the participant joined, in ISO 8601. */
      participantJoinedAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_LEFT: z.strictObject({
      ...defineParticipant('GROUP_PARTICIPANT_LEFT'),
      /** When the participant left, in ISO 8601. */
      participantLeftAt: UtcTimestamp,
    }),
    GROUP_PARTICIPANT_REMOVED: z.strictObject({
      ...defineParticipant('GROUP_PARTICIPANT_REMOVED'),
      /** When the participant was removed, in ISO 8601. */
      participantRemovedAt: UtcTimestamp,
    }),
    CALL_INCOMING_INITIATED: defineLifecycleEvent(
      'CALL_INCOMING_INITIATED',
      'INITIATED',
      z.literal('INCOMING'),
    ),
    CALL_OUTGOING_INITIATED: defineLifecycleEvent(
      'CALL_OUTGOING_INITIATED',
      'INITIATED',
      z.literal('OUTGOING'),
    ),
    CALL_ACCEPTED: defineLifecycleEvent('CALL_ACCEPTED', 'IN_PROGRESS'),
    CALL_ENDED: defineLifecycleEvent('CALL_ENDED', 'END'),
    CALL_AI_SUMMARY: z
      .strictObject({
        ...defineCall('CALL_AI_SUMMARY', 'END'),
        /** The AI summary. */
        summary: CallSummary,
      })
      .check(requireMatchingNumbers()),
  }) as const

/**
 * Strict schemas of the events in the specification, as the reference server sends them. Timestamps are in UTC
 * with milliseconds, `agentNumber` is absent rather than empty, `from` equals `channelNumber`, `to` equals
 * `customerNumber`, and unknown fields are rejected. {@link eventSchemas} has the lenient schemas for receiving.
 */
export const publishedEventSchemas = /* @__PURE__ */ defineSchemas()

/** Name of an event in the specification, as the reference server sends it. */
export type PublishedEventName = keyof typeof publishedEventSchemas

/** An event as the reference server sends it, by name. */
export type PublishedEventOf<Name extends PublishedEventName> = z.infer<(typeof publishedEventSchemas)[Name]>

/** Any event as the reference server sends it. Each is also a {@link WebhookEvent}. */
export type PublishedEvent = { [Name in PublishedEventName]: PublishedEventOf<Name> }[PublishedEventName]

/** Checks whether a value is the name of an event in the specification. */
export const isPublishedEventName = (name: unknown): name is PublishedEventName =>
  typeof name === 'string' && Object.hasOwn(publishedEventSchemas, name)

/** Names of the events in the specification. */
export const publishedEventNames: readonly PublishedEventName[] = /* @__PURE__ */ (() =>
  Object.keys(publishedEventSchemas).filter(isPublishedEventName))()
