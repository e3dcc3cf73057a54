import type * as wire from '@wabakit/wire'
import { CallSummary } from './call-ai-summary-event.ts'
import { defineCallDetails } from './call-details.ts'
import { exact, type ObjectSchema } from './exact.ts'

/**
 * Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Parsers accept any
 * that has `callId` and `summary`, because the specification does not define this body and other services may omit the
 * rest.
 *
 * @interface
 */
export type SummaryRecord = wire.SummaryRecord

/** Schema of {@link SummaryRecord}. */
export const SummaryRecord: ObjectSchema<SummaryRecord> = /* @__PURE__ */ exact(() => ({
  ...defineCallDetails(),
  summary: CallSummary,
}))
