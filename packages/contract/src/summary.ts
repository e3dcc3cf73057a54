import type * as z from 'zod/mini'
import { CallSummary } from './call-ai-summary-event.ts'
import { type CallDetailsShape, defineCallDetails } from './call-details.ts'
import { type Exact, exact } from './exact.ts'

/**
 * Schemas of the fields of a fetched summary.
 *
 * @interface
 */
export type SummaryRecordShape = CallDetailsShape & {
  /** The AI summary. */
  summary: typeof CallSummary
}

/** Schema of {@link SummaryRecord}. */
export const SummaryRecord: Exact<SummaryRecordShape> = /* @__PURE__ */ exact(() => ({
  ...defineCallDetails(),
  summary: CallSummary,
}))

/**
 * Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Only `callId` and `summary` are
 * required, because the specification does not define this body and other services may omit the rest.
 *
 * @interface
 */
export type SummaryRecord = z.infer<typeof SummaryRecord>
