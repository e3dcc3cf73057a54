import { type CallSummary, callSummaryRule } from './call-ai-summary-event.ts'
import { type CallDetails, callDetails } from './call-fields.ts'
import { nullish, object, type Rule, text } from './rules.ts'

type SummaryRecordFields = CallDetails & {
  /** The AI summary. */
  summary: CallSummary
}

/**
 * Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Parsers require only
 * `callId` and `summary`, because the specification does not define this body, and other services may omit the rest.
 *
 * @interface
 */
export type SummaryRecord = { [Field in keyof SummaryRecordFields]: SummaryRecordFields[Field] }

export const summaryRecordRule: Rule<SummaryRecord> = /* @__PURE__ */ object(() => ({
  ...callDetails(),
  // Accepts any text, because an unexpected time format must not make a summary invalid. Events are stricter.
  callStartedAt: nullish(text),
  callEndedAt: nullish(text),
  summary: callSummaryRule,
}))
