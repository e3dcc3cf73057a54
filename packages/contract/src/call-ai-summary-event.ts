import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { nonEmpty } from './text.ts'
import { Timestamp } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

/** The AI summary of a call. */
export const CallSummary = /* @__PURE__ */ exact(() => ({
  /** Short summary of the call. */
  recap: z.string(),
  /** Key points discussed. */
  keyPoints: z.array(z.string()),
  /** Follow-ups mentioned. */
  nextSteps: z.array(z.string()),
}))
export type CallSummary = z.infer<typeof CallSummary>

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * `from` equals `channelNumber`, and `to` equals `customerNumber`, in what this project's server emits; parsing does
 * not require it.
 */
export const CallAiSummaryEvent = /* @__PURE__ */ exact(() => ({
  /** The event's name. */
  event: z.literal('CALL_AI_SUMMARY'),
  /** The network the call went through. */
  channel: Channel,
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: CallDirection,
  /** The call's status when the summary was generated: normally `END`, never `ENDED`. */
  callStatus: z.string(),
  /** Duration of the call in seconds. */
  durationInSeconds: z.number(),
  /** When the call started, ISO 8601. */
  callStartedAt: Timestamp,
  /** When the call ended, ISO 8601. */
  callEndedAt: Timestamp,
  /** The organization's number, in both directions. */
  from: z.string(),
  /** The customer's phone number, in both directions. */
  to: z.string(),
  /** The same value as `from`. */
  channelNumber: z.string(),
  /** The same value as `to`. */
  customerNumber: z.string(),
  /**
   * Phone number of the team member who handled or started the call; absent, never empty, when nobody did. It can
   * change: for display and audit only, not for matching.
   */
  agentNumber: z.optional(nonEmpty()),
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: CallType,
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: TriggeredVia,
  /** The summary itself. */
  summary: CallSummary,
}))
export type CallAiSummaryEvent = z.infer<typeof CallAiSummaryEvent>
