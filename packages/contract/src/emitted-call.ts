import type { CallFacts, Flat } from '@wabakit/wire'
import * as z from 'zod/mini'
import { type CallAiSummaryEvent, CallSummary } from './call-ai-summary-event.ts'
import { defineCallFacts } from './call-facts.ts'
import type { ObjectSchema } from './exact.ts'
import { nonEmpty } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection } from './vocabulary.ts'

type Measured = 'durationInSeconds' | 'callStartedAt' | 'callEndedAt'

/**
 * A call lifecycle event, as the reference server sends it.
 *
 * @interface
 */
export type EmittedCallEvent<Name extends string, Status extends string> = Flat<
  Omit<CallFacts, Measured | 'callStatus'> & {
    /** The event's name. */
    event: Name
    /** The call's status. */
    callStatus: Status
    /** Duration of the call in seconds. */
    durationInSeconds?: number | undefined
    /** When the call started, in ISO 8601. */
    callStartedAt?: string | undefined
    /** When the call ended, in ISO 8601. */
    callEndedAt?: string | undefined
  }
>

const requireMatchingNumbers = () =>
  z.refine<Pick<CallFacts, 'from' | 'to' | 'channelNumber' | 'customerNumber'>>(
    ({ from, to, channelNumber, customerNumber }) => from === channelNumber && to === customerNumber,
    { error: 'from must equal channelNumber, and to must equal customerNumber' },
  )

const defineFacts = () =>
  defineCallFacts({ seconds: z.number().check(z.minimum(0)), time: UtcTimestamp, number: nonEmpty() })

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

export const defineEmittedSummaryEvent = (): ObjectSchema<CallAiSummaryEvent> =>
  z
    .strictObject({
      event: z.literal('CALL_AI_SUMMARY'),
      ...defineFacts(),
      callStatus: z.literal('END'),
      summary: CallSummary,
    })
    .check(requireMatchingNumbers())
