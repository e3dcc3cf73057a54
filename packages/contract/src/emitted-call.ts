import * as z from 'zod/mini'
import { type CallAiSummaryShape, CallSummary } from './call-ai-summary-event.ts'
import { type CallFactsShape, callFacts } from './call-facts.ts'
import type { Strict } from './exact.ts'
import { nonEmpty } from './text.ts'
import { UtcTimestamp } from './timestamp.ts'
import { CallDirection } from './vocabulary.ts'

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

/** How a lifecycle event of a call is sent, with which status and, if its name says one, direction. */
export const emittedCallEvent = <Name extends string, Status extends string>(
  name: Name,
  callStatus: Status,
  only: { readonly direction?: z.ZodMiniType<CallDirection> } = {},
): Strict<EmittedCallShape<Name, Status>> => {
  const status = z.literal(callStatus)
  const facts = callFacts({ ...rules(), status, ...only })
  return z
    .strictObject({
      event: z.literal(name),
      ...facts,
      callStatus: status,
      durationInSeconds: z.optional(facts.durationInSeconds),
      callStartedAt: z.optional(facts.callStartedAt),
      callEndedAt: z.optional(facts.callEndedAt),
    })
    .check(sidesAgree())
}

/** How CALL_AI_SUMMARY is sent. */
export const emittedSummaryEvent = (): Strict<CallAiSummaryShape> =>
  z
    .strictObject({
      event: z.literal('CALL_AI_SUMMARY'),
      ...callFacts({ ...rules(), status: z.literal('END') }),
      summary: CallSummary,
    })
    .check(sidesAgree())
