import type * as wire from '@wabakit/wire'
import * as z from 'zod/mini'
import { defineCallFacts } from './call-facts.ts'
import { exact, type ObjectSchema } from './exact.ts'
import { Timestamp } from './timestamp.ts'

/**
 * The AI summary of a call.
 *
 * @interface
 */
export type CallSummary = wire.CallSummary

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
export type CallAiSummaryEvent = wire.CallAiSummaryEvent

/** Schema of {@link CallAiSummaryEvent}. */
export const CallAiSummaryEvent: ObjectSchema<CallAiSummaryEvent> = /* @__PURE__ */ exact(() => ({
  event: z.literal('CALL_AI_SUMMARY'),
  ...defineCallFacts({ seconds: z.number(), time: Timestamp, number: z.string() }),
  summary: CallSummary,
}))
