import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { type CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

/** What the facts of a call must be, where a receiver is more lenient than a sender. */
type Rules = {
  readonly direction: z.ZodMiniType<CallDirection>
  readonly status: z.ZodMiniType<string>
  readonly seconds: z.ZodMiniNumber
  readonly time: z.ZodMiniString
  readonly number: z.ZodMiniString
}

/** The facts of a call that CALL_AI_SUMMARY tells. */
export const callFacts = ({ direction, status, seconds, time, number }: Rules) => ({
  /** The network the call went through. */
  channel: Channel,
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: direction,
  /** The call's status when the event was made; with a summary normally `END`, never `ENDED`. */
  callStatus: status,
  /** Duration of the call in seconds. */
  durationInSeconds: seconds,
  /** When the call started, ISO 8601. */
  callStartedAt: time,
  /** When the call ended, ISO 8601. */
  callEndedAt: time,
  /** The organization's number, in both directions. */
  from: number,
  /** The customer's phone number, in both directions. */
  to: number,
  /** The same value as `from`. */
  channelNumber: number,
  /** The same value as `to`. */
  customerNumber: number,
  /**
   * Phone number of the team member who handled or started the call; absent, never empty, when nobody did. It can
   * change: for display and audit only, not for matching.
   */
  agentNumber: z.optional(nonEmpty()),
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: CallType,
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: TriggeredVia,
})

/**
 * The facts of a call that CALL_AI_SUMMARY tells.
 *
 * @interface
 */
export type CallFactsShape = ReturnType<typeof callFacts>
