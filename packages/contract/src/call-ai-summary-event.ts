import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { Timestamp } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

/** The AI summary of a call: a short `recap`, the `keyPoints` discussed and the `nextSteps` mentioned. */
export const CallSummary = exact({
  recap: z.string(),
  keyPoints: z.array(z.string()),
  nextSteps: z.array(z.string()),
})
export type CallSummary = z.infer<typeof CallSummary>

/** Fields of the CALL_AI_SUMMARY payload; how strict its timestamps are depends on who reads it. */
export const callAiSummaryShape = <Time extends z.core.$ZodType<string>>(time: Time) => ({
  event: z.literal('CALL_AI_SUMMARY'),
  channel: Channel,
  callId: z.string().check(z.minLength(1)),
  callDirection: CallDirection,
  callStatus: z.string(),
  durationInSeconds: z.number(),
  callStartedAt: time,
  callEndedAt: time,
  from: z.string(),
  to: z.string(),
  channelNumber: z.string(),
  customerNumber: z.string(),
  agentNumber: z.optional(z.string().check(z.minLength(1))),
  callType: CallType,
  triggeredVia: TriggeredVia,
  summary: CallSummary,
})

/**
 * The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.
 *
 * - `callId`: equal to the one of the call's lifecycle events.
 * - `callStatus`: normally the literal `END`; open, because the specification does not close it.
 * - `durationInSeconds`: seconds.
 * - `callStartedAt`, `callEndedAt`: ISO 8601.
 * - `from` = `channelNumber`: the organization's number, in both directions. `to` = `customerNumber`: the customer's.
 *   The pairs are equal in what this project's server emits; parsing does not require it.
 * - `agentNumber`: the team member's phone number, for display only (it can change); absent, never empty, when no
 *   team member handled or started the call.
 */
export const CallAiSummaryEvent = exact(callAiSummaryShape(Timestamp))
export type CallAiSummaryEvent = z.infer<typeof CallAiSummaryEvent>
