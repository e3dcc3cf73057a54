import * as z from 'zod/mini'
import { type CallFacts, defineCallFacts } from './call-facts.ts'
import { exact, type ObjectSchema } from './exact.ts'
import type { Flat } from './flat.ts'
import { Timestamp } from './timestamp.ts'

/**
 * The AI summary of a call.
 *
 * @interface
 */
export type CallSummary = {
  /** Short summary of the call. */
  recap: string
  /** Key points of the conversation. */
  keyPoints: string[]
  /** Follow-ups mentioned in the conversation. */
  nextSteps: string[]
}

/** Schema of {@link CallSummary}. */
export const CallSummary: ObjectSchema<CallSummary> = /* @__PURE__ */ exact(() => ({
  recap: z.string(),
  keyPoints: z.array(z.string()),
  nextSteps: z.array(z.string()),
}))

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * The reference server always sends `from` equal to `channelNumber` and `to` equal to `customerNumber`. Parsing does not
 * require this.
 *
 * @interface
 */
export type CallAiSummaryEvent = Flat<
  CallFacts & {
    /** The event's name. */
    event: 'CALL_AI_SUMMARY'
    /** The AI summary. */
    summary: CallSummary
  }
>

/** Schema of {@link CallAiSummaryEvent}. */
export const CallAiSummaryEvent: ObjectSchema<CallAiSummaryEvent> = /* @__PURE__ */ exact(() => ({
  event: z.literal('CALL_AI_SUMMARY'),
  ...defineCallFacts({ seconds: z.number(), time: Timestamp, number: z.string() }),
  summary: CallSummary,
}))
