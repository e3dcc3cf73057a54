import type * as z from 'zod/mini'
import { CallSummary } from './call-ai-summary-event.ts'
import { type CallDetailsShape, callDetails } from './call-details.ts'
import { type Exact, exact } from './exact.ts'

/**
 * Fields of a fetched summary.
 *
 * @interface
 */
export type SummaryRecordShape = CallDetailsShape & {
  /** The summary itself. */
  summary: typeof CallSummary
}

/** Schema of {@link SummaryRecord}. */
export const SummaryRecord: Exact<SummaryRecordShape> = /* @__PURE__ */ exact(() => ({
  ...callDetails(),
  summary: CallSummary,
}))

/**
 * What `GET /v1/call/ai-summary` answers: the CALL_AI_SUMMARY payload without `event`. From another service than this
 * project's server only `callId` and `summary` are sure, because the body is not published.
 *
 * @interface
 */
export type SummaryRecord = z.infer<typeof SummaryRecord>
