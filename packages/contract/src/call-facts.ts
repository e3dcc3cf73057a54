import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { type CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

// These differ between receiving (lenient) and sending (strict).
type Rules = {
  readonly direction: z.ZodMiniType<CallDirection>
  readonly status: z.ZodMiniType<string>
  readonly seconds: z.ZodMiniNumber
  readonly time: z.ZodMiniString
  readonly number: z.ZodMiniString
}

export const defineCallFacts = ({ direction, status, seconds, time, number }: Rules) => ({
  /** The network of the call: `PSTN` (telephone) or `WHATSAPP`. */
  channel: Channel,
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: direction,
  /** The call's status: normally `END`, never `ENDED`. */
  callStatus: status,
  /** Duration of the call in seconds. */
  durationInSeconds: seconds,
  /** When the call started, in ISO 8601. */
  callStartedAt: time,
  /** When the call ended, in ISO 8601. */
  callEndedAt: time,
  /** The organization's number, whatever the direction of the call. */
  from: number,
  /** The customer's phone number, whatever the direction of the call. */
  to: number,
  /** Same as `from`. */
  channelNumber: number,
  /** Same as `to`. */
  customerNumber: number,
  /**
   * Phone number of the team member who handled or started the call. Absent, never empty, if no team member did. It may
   * change: use it for display and audit, not for matching.
   */
  agentNumber: z.optional(nonEmpty()),
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: CallType,
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: TriggeredVia,
})

/**
 * Schemas of the fields that describe the call in CALL_AI_SUMMARY.
 *
 * @interface
 */
export type CallFactsShape = ReturnType<typeof defineCallFacts>
