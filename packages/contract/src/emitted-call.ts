import type { CallFacts, Flat } from '@wabakit/wire'
import * as z from 'zod/mini'
import type { ObjectSchema } from './schema.ts'
import { CallSummary } from './summary.ts'
import { nonEmpty } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

type Measured = 'durationInSeconds' | 'callStartedAt' | 'callEndedAt'

type Enumerated = 'channel' | 'callDirection' | 'callStatus' | 'callType' | 'triggeredVia'

/**
 * A call lifecycle event, as the reference server sends it.
 *
 * @interface
 *
 * @inline
 */
export type EmittedCallEvent<Name extends string, Status extends string> = Flat<
  Omit<CallFacts, Measured | Enumerated> & {
    /** The event's name. */
    event: Name
    /** The network of the call: `PSTN` (telephone) or `WHATSAPP`. */
    channel: Channel
    /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
    callDirection: CallDirection
    /** The call's status. */
    callStatus: Status
    /** Party that handled the call: `AI_BOT`, or `AGENT` for a team member. */
    callType: CallType
    /** Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
    triggeredVia: TriggeredVia
    /** Duration of the call in seconds. */
    durationInSeconds?: number | undefined
    /** When the conversation started, in ISO 8601. */
    callStartedAt?: string | undefined
    /** When the call ended, in ISO 8601. */
    callEndedAt?: string | undefined
  }
>

/**
 * CALL_AI_SUMMARY, as the reference server sends it.
 *
 * @interface
 *
 * @inline
 */
export type EmittedSummaryEvent = Flat<
  Omit<EmittedCallEvent<'CALL_AI_SUMMARY', 'END'>, Measured> &
    Pick<CallFacts, Measured> & {
      /** The AI summary. */
      summary: CallSummary
    }
>

const requireMatchingNumbers = () =>
  z.refine<Pick<CallFacts, 'from' | 'to' | 'channelNumber' | 'customerNumber'>>(
    ({ from, to, channelNumber, customerNumber }) => from === channelNumber && to === customerNumber,
    { error: 'from must equal channelNumber, and to must equal customerNumber' },
  )

// Receivers accept other values; the reference server sends only these.
const defineFacts = () => ({
  channel: Channel,
  callId: nonEmpty(),
  callDirection: CallDirection,
  durationInSeconds: z.number().check(z.minimum(0)),
  callStartedAt: UtcTimestamp,
  callEndedAt: UtcTimestamp,
  from: nonEmpty(),
  to: nonEmpty(),
  channelNumber: nonEmpty(),
  customerNumber: nonEmpty(),
  agentNumber: z.optional(nonEmpty()),
  callType: CallType,
  triggeredVia: TriggeredVia,
})

export const defineEmittedCallEvent = <Name extends string, Status extends string>(
  name: Name,
  status: Status,
  direction: z.ZodMiniType<CallDirection> = CallDirection,
): ObjectSchema<EmittedCallEvent<Name, Status>> => {
  const facts = defineFacts()
  return z
    .strictObject({
      event: z.literal(name),
      ...facts,
      callDirection: direction,
      callStatus: z.literal(status),
      durationInSeconds: z.optional(facts.durationInSeconds),
      callStartedAt: z.optional(facts.callStartedAt),
      callEndedAt: z.optional(facts.callEndedAt),
    })
    .check(requireMatchingNumbers())
}

export const defineEmittedSummaryEvent = (): ObjectSchema<EmittedSummaryEvent> =>
  z
    .strictObject({
      event: z.literal('CALL_AI_SUMMARY'),
      ...defineFacts(),
      callStatus: z.literal('END'),
      summary: CallSummary,
    })
    .check(requireMatchingNumbers())
