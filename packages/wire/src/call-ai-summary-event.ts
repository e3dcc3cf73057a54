import type { CallFacts } from './call-facts.ts'
import type { Flat } from './flat.ts'

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

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * The reference server always sends `from` equal to `channelNumber` and `to` equal to `customerNumber`. Parsing does not
 * require this.
 *
 * @interface
 */
export type CallAiSummaryEvent = Flat<
  CallFacts & {
    /** The event's name. */
    event: 'CALL_AI_SUMMARY'
    /** The AI summary. */
    summary: CallSummary
  }
>
