import * as z from 'zod/mini'
import { type CallFactsShape, defineCallFacts } from './call-facts.ts'
import { type Exact, exact } from './exact.ts'
import { Timestamp } from './timestamp.ts'
import { CallDirection } from './vocabulary.ts'

/** Schema of {@link CallSummary}. */
export const CallSummary = /* @__PURE__ */ exact(() => ({
  /** Short summary of the call. */
  recap: z.string(),
  /** Key points of the conversation. */
  keyPoints: z.array(z.string()),
  /** Follow-ups mentioned in the conversation. */
  nextSteps: z.array(z.string()),
}))

/**
 * The AI summary of a call.
 *
 * @interface
 */
export type CallSummary = z.infer<typeof CallSummary>

/**
 * Schemas of the fields of CALL_AI_SUMMARY.
 *
 * @interface
 */
export type CallAiSummaryShape = {
  /** The event's name. */
  event: z.ZodMiniLiteral<'CALL_AI_SUMMARY'>
} & CallFactsShape & {
    /** The AI summary. */
    summary: typeof CallSummary
  }

/** Schema of {@link CallAiSummaryEvent}. */
export const CallAiSummaryEvent: Exact<CallAiSummaryShape> = /* @__PURE__ */ exact(() => ({
  event: z.literal('CALL_AI_SUMMARY'),
  ...defineCallFacts({
    direction: CallDirection,
    status: z.string(),
    seconds: z.number(),
    time: Timestamp,
    number: z.string(),
  }),
  summary: CallSummary,
}))

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * The reference server always sends `from` equal to `channelNumber` and `to` equal to `customerNumber`. Parsing does not
 * require this.
 *
 * @interface
 */
export type CallAiSummaryEvent = z.infer<typeof CallAiSummaryEvent>
