import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

/**
 * What is known of a call, as lifecycle events and fetched summaries tell it. Only `callId` is sure to be there. A
 * service says "unset" by leaving a field out, or by an empty string or 0; null is taken for the same.
 */
export const callDetails = () => ({
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** The network the call went through. */
  channel: z.nullish(z.enum([...Channel.options, ''])),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: z.nullish(z.enum([...CallDirection.options, ''])),
  /** `INITIATED`, `IN_PROGRESS` or `END`; services know further ones. */
  callStatus: z.nullish(z.string()),
  /** Duration of the call in seconds. */
  durationInSeconds: z.nullish(z.number()),
  /** When the conversation began, ISO 8601. */
  callStartedAt: z.nullish(TimestampOrEmpty),
  /** When the call ended, ISO 8601. */
  callEndedAt: z.nullish(TimestampOrEmpty),
  /** The organization's number, in both directions. */
  from: z.nullish(z.string()),
  /** The customer's phone number, in both directions. */
  to: z.nullish(z.string()),
  /** The same value as `from`. */
  channelNumber: z.nullish(z.string()),
  /** The same value as `to`. */
  customerNumber: z.nullish(z.string()),
  /** Phone number of the team member who handled or started the call. It can change: for display only. */
  agentNumber: z.nullish(z.string()),
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: z.nullish(z.enum([...CallType.options, ''])),
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: z.nullish(z.enum([...TriggeredVia.options, ''])),
})

/**
 * What is known of a call; see {@link CallEventShape}.
 *
 * @interface
 */
export type CallDetailsShape = ReturnType<typeof callDetails>
