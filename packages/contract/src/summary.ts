import type * as z from 'zod/mini'
import { CallSummary } from './call-ai-summary-event.ts'
import { callDetails } from './call-details.ts'
import { exact } from './exact.ts'

/**
 * What `GET /v1/call/ai-summary` answers: the CALL_AI_SUMMARY payload without `event`. Only `callId` and `summary`
 * are sure to be there, because a live service does not publish this body.
 */
export const SummaryRecord = exact(() => ({
  ...callDetails(),
  /** The summary itself. */
  summary: CallSummary,
}))
export type SummaryRecord = z.infer<typeof SummaryRecord>
