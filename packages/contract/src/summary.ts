import * as z from 'zod/mini'
import { callAiSummaryShape } from './call-ai-summary-event.ts'
import { exact } from './exact.ts'
import { Timestamp } from './timestamp.ts'

const { event: _event, callId, summary, ...details } = callAiSummaryShape(Timestamp)

/**
 * What `GET /v1/call/ai-summary` answers: the CALL_AI_SUMMARY payload without `event`. Only `callId` and `summary`
 * are sure to be there, because the live service does not publish this body.
 */
export const SummaryRecord = z.extend(z.partial(exact(details)), { callId, summary })
export type SummaryRecord = z.infer<typeof SummaryRecord>
