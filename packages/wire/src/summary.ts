import type { CallSummary } from './call-ai-summary-event.ts'
import type { CallDetails } from './call-details.ts'
import type { Flat } from './flat.ts'

/**
 * Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Parsers accept any
 * that has `callId` and `summary`, because the specification does not define this body and other services may omit the
 * rest.
 *
 * @interface
 */
export type SummaryRecord = Flat<
  CallDetails & {
    /** The AI summary. */
    summary: CallSummary
  }
>
