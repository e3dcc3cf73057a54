import { nonEmpty, number, open, type Rules, text, time, unset } from './rules.ts'
import {
  type CallDirection,
  type CallStatus,
  type CallType,
  type Channel,
  callDirections,
  callStatuses,
  callTypes,
  channels,
  type OpenEnum,
  type TriggeredVia,
  triggers,
} from './vocabulary.ts'

/**
 * The fields that describe the call in CALL_AI_SUMMARY. A service may add further values to a field with known values.
 *
 * @interface
 *
 * @inline
 */
export type CallFacts = {
  /** The network of the call: `PSTN` (telephone) or `WHATSAPP`. */
  channel: OpenEnum<Channel>
  /** The call's identifier, the same in every event of the call. */
  callId: string
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: OpenEnum<CallDirection>
  /** The call's status: normally `END`, never `ENDED`. */
  callStatus: OpenEnum<CallStatus>
  /** Duration of the call in seconds. */
  durationInSeconds: number
  /** When the conversation started, in ISO 8601. */
  callStartedAt: string
  /** When the call ended, in ISO 8601. */
  callEndedAt: string
  /** The organization's number, for calls in either direction. */
  from: string
  /** The customer's phone number, for calls in either direction. */
  to: string
  /** Same as `from`. */
  channelNumber: string
  /** Same as `to`. */
  customerNumber: string
  /**
   * Phone number of the team member who handled or started the call. Absent, never empty, if no team member did. It may
   * change: use it for display and audit, not for matching.
   */
  agentNumber?: string | undefined
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: OpenEnum<CallType>
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: OpenEnum<TriggeredVia>
}

export const callFacts = (): Rules<CallFacts> => ({
  channel: open(...channels),
  callId: nonEmpty,
  callDirection: open(...callDirections),
  callStatus: open(...callStatuses),
  durationInSeconds: number,
  callStartedAt: time,
  callEndedAt: time,
  from: text,
  to: text,
  channelNumber: text,
  customerNumber: text,
  agentNumber: unset,
  callType: open(...callTypes),
  triggeredVia: open(...triggers),
})
