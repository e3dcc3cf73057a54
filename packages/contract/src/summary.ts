import type * as z from 'zod/mini'
import { CallSummary } from './call-ai-summary-event.ts'
import { callDetails } from './call-details.ts'
import { exact } from './exact.ts'

/**
 * What `GET /v1/call/ai-summary` answers: the CALL_AI_SUMMARY payload without `event`. From another service than this
 * project's server only `callId` and `summary` are sure, because the body is not published.
 */
export const SummaryRecord = exact(() => ({
  ...callDetails(),
  /** The summary itself. */
  summary: CallSummary,
}))
export type SummaryRecord = z.infer<typeof SummaryRecord>
