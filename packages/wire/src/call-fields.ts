import {
  lenient,
  nonEmpty,
  nullish,
  number,
  open,
  type Rules,
  text,
  time,
  timeOrEmpty,
  unset,
} from './rules.ts'
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
  /** Party that handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: OpenEnum<CallType>
  /** Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
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

/** Makes fields optional. An empty string and null also mean "unset". */
type Unset<Fields> = {
  [Name in keyof Fields]?: Fields[Name] | (Fields[Name] extends string ? '' : never) | null | undefined
}

// Unlike an interface, a mapped type can be assigned to `Record<string, unknown>`. It is written out for each
// event: through a generic type, errors would show the parts of the event instead of its name.
type CallDetailsFields = Pick<CallFacts, 'callId'> &
  Unset<Omit<CallFacts, 'callId' | 'callStatus' | 'agentNumber'>> & {
    /** `INITIATED`, `IN_PROGRESS` or `END`. A live service also sends `REJECT`, `MISSED` and `FAILED`. */
    callStatus?: OpenEnum<CallStatus> | '' | null | undefined
    /**
     * Phone number of the team member who handled or started the call. Absent, never empty or null, if no team member
     * did. It may change: use it for display only.
     */
    agentNumber?: string | undefined
  }

/**
 * The fields that lifecycle events and fetched summaries share. Only `callId` is required: services leave other fields
 * out, or send an empty string, 0 or null for "unset". A service may add further values to a field with known values.
 *
 * @interface
 *
 * @inline
 */
export type CallDetails = { [Field in keyof CallDetailsFields]: CallDetailsFields[Field] }

export const callDetails = (): Rules<CallDetails> => ({
  callId: nonEmpty,
  channel: lenient(...channels),
  callDirection: lenient(...callDirections),
  callStatus: lenient(...callStatuses),
  durationInSeconds: nullish(number),
  callStartedAt: nullish(timeOrEmpty),
  callEndedAt: nullish(timeOrEmpty),
  from: nullish(text),
  to: nullish(text),
  channelNumber: nullish(text),
  customerNumber: nullish(text),
  agentNumber: unset,
  callType: lenient(...callTypes),
  triggeredVia: lenient(...triggers),
})
