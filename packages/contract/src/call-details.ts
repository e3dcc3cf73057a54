import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

// Only `callId` is required: services leave other fields out, or send an empty string, 0 or null for "unset".
export const defineCallDetails = () => ({
  /** The call's identifier, the same in every event of the call. */
  callId: nonEmpty(),
  /** The network of the call: `PSTN` (telephone) or `WHATSAPP`. */
  channel: z.nullish(z.enum([...Channel.options, ''])),
  /** `INCOMING`: customer to business. `OUTGOING`: business to customer. */
  callDirection: z.nullish(z.enum([...CallDirection.options, ''])),
  /** `INITIATED`, `IN_PROGRESS` or `END`. Other services may send further values. */
  callStatus: z.nullish(z.string()),
  /** Duration of the call in seconds. */
  durationInSeconds: z.nullish(z.number()),
  /** When the conversation started, in ISO 8601. */
  callStartedAt: z.nullish(TimestampOrEmpty),
  /** When the call ended, in ISO 8601. */
  callEndedAt: z.nullish(TimestampOrEmpty),
  /** The organization's number, whatever the direction of the call. */
  from: z.nullish(z.string()),
  /** The customer's phone number, whatever the direction of the call. */
  to: z.nullish(z.string()),
  /** Same as `from`. */
  channelNumber: z.nullish(z.string()),
  /** Same as `to`. */
  customerNumber: z.nullish(z.string()),
  /** Phone number of the team member who handled or started the call. It may change: use it for display only. */
  agentNumber: z.nullish(z.string()),
  /** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
  callType: z.nullish(z.enum([...CallType.options, ''])),
  /** What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
  triggeredVia: z.nullish(z.enum([...TriggeredVia.options, ''])),
})

/**
 * Schemas of the fields that lifecycle events and fetched summaries share. Only `callId` is required.
 *
 * @interface
 */
export type CallDetailsShape = ReturnType<typeof defineCallDetails>
