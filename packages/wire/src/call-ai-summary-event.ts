import { type CallFacts, callFacts } from './call-fields.ts'
import { list, object, type Rule, text } from './rules.ts'

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

export const callSummaryRule: Rule<CallSummary> = /* @__PURE__ */ object(() => ({
  recap: text,
  keyPoints: list(text),
  nextSteps: list(text),
}))

type CallAiSummaryEventFields = CallFacts & {
  /** The event's name. */
  event: 'CALL_AI_SUMMARY'
  /** The AI summary. */
  summary: CallSummary
}

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * The reference server sends `from` equal to `channelNumber` and `to` equal to `customerNumber`, except in custom payloads.
 * Parsing does not require this.
 *
 * @interface
 */
export type CallAiSummaryEvent = {
  [Field in keyof CallAiSummaryEventFields]: CallAiSummaryEventFields[Field]
}

export const callAiSummaryRule: Rule<Omit<CallAiSummaryEvent, 'event'>> = /* @__PURE__ */ object(() => ({
  ...callFacts(),
  summary: callSummaryRule,
}))
