import * as z from 'zod/mini'
import { type CallAiSummaryShape, CallSummary } from './call-ai-summary-event.ts'
import { type CallFactsShape, defineCallFacts } from './call-facts.ts'
import type { Strict } from './exact.ts'
import { nonEmpty } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection } from './vocabulary.ts'

type Measured = 'durationInSeconds' | 'callStartedAt' | 'callEndedAt'

/**
 * Schemas of the fields of a call lifecycle event, as the reference server sends it.
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

type Numbers = { from: string; to: string; channelNumber: string; customerNumber: string }

const requireMatchingNumbers = <Event extends Numbers>() =>
  z.refine<Event>((event) => event.from === event.channelNumber && event.to === event.customerNumber, {
    error: 'from must equal channelNumber, and to must equal customerNumber',
  })

const buildRules = () => ({
  direction: CallDirection,
  seconds: z.number().check(z.minimum(0)),
  time: UtcTimestamp,
  number: nonEmpty(),
})

export const defineEmittedCallEvent = <Name extends string, Status extends string>(
  name: Name,
  callStatus: Status,
  only: { readonly direction?: z.ZodMiniType<CallDirection> } = {},
): Strict<EmittedCallShape<Name, Status>> => {
  const status = z.literal(callStatus)
  const facts = defineCallFacts({ ...buildRules(), status, ...only })
  return z
    .strictObject({
      event: z.literal(name),
      ...facts,
      callStatus: status,
      durationInSeconds: z.optional(facts.durationInSeconds),
      callStartedAt: z.optional(facts.callStartedAt),
      callEndedAt: z.optional(facts.callEndedAt),
    })
    .check(requireMatchingNumbers())
}

export const defineEmittedSummaryEvent = (): Strict<CallAiSummaryShape> =>
  z
    .strictObject({
      event: z.literal('CALL_AI_SUMMARY'),
      ...defineCallFacts({ ...buildRules(), status: z.literal('END') }),
      summary: CallSummary,
    })
    .check(requireMatchingNumbers())
