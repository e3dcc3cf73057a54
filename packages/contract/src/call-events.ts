import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

// A lifecycle event says "unset" with an empty string, so each optional field accepts one.
const unset = z.literal('')
const text = z.optional(z.nullable(z.string()))
const id = z.optional(z.nullable(z.union([z.string(), z.number()])))

/** What every lifecycle event may carry. Only `event` and `callId` are sure to be there. */
const lifecycle = {
  callId: z.string().check(z.minLength(1)),
  channel: z.optional(z.union([Channel, unset])),
  callDirection: z.optional(z.union([CallDirection, unset])),
  callStatus: z.optional(z.string()),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  channelNumber: z.optional(z.string()),
  customerNumber: z.optional(z.string()),
  agentNumber: z.optional(z.string()),
  callType: z.optional(z.union([CallType, unset])),
  triggeredVia: z.optional(z.union([TriggeredVia, unset])),
  durationInSeconds: z.optional(z.nullable(z.number())),
  callStartedAt: z.optional(z.nullable(TimestampOrEmpty)),
  callEndedAt: z.optional(z.nullable(TimestampOrEmpty)),
  // Seen on a live service of this interface, not named by the specification.
  wabaNumber: text,
  customerName: text,
  customerId: id,
  chatId: id,
  chatMessageId: id,
  failedReason: text,
  recordingUrl: text,
}

/** A customer started a call to the business: the first event of an incoming call. */
export const CallIncomingInitiatedEvent = exact({ event: z.literal('CALL_INCOMING_INITIATED'), ...lifecycle })
export type CallIncomingInitiatedEvent = z.infer<typeof CallIncomingInitiatedEvent>

/** The business started a call to a customer: the first event of an outgoing call. */
export const CallOutgoingInitiatedEvent = exact({ event: z.literal('CALL_OUTGOING_INITIATED'), ...lifecycle })
export type CallOutgoingInitiatedEvent = z.infer<typeof CallOutgoingInitiatedEvent>

/** The call was answered. */
export const CallAcceptedEvent = exact({ event: z.literal('CALL_ACCEPTED'), ...lifecycle })
export type CallAcceptedEvent = z.infer<typeof CallAcceptedEvent>

/** The call is over. An unanswered call's `callStartedAt` may be an empty string. */
export const CallEndedEvent = exact({ event: z.literal('CALL_ENDED'), ...lifecycle })
export type CallEndedEvent = z.infer<typeof CallEndedEvent>

/** The call was missed. Observed on a live service; the reference server never emits it. */
export const CallMissedEvent = exact({
  event: z.literal('CALL_MISSED'),
  ...lifecycle,
  isNewCaller: z.optional(z.nullable(z.boolean())),
  isChatAssigned: z.optional(z.nullable(z.boolean())),
})
export type CallMissedEvent = z.infer<typeof CallMissedEvent>

/** The call was rejected. Observed on a live service; the reference server never emits it. */
export const CallRejectedEvent = exact({ event: z.literal('CALL_REJECTED'), ...lifecycle })
export type CallRejectedEvent = z.infer<typeof CallRejectedEvent>

/** Nobody picked up; may repeat for one call, WhatsApp only. Observed; the reference server never emits it. */
export const CallNotPickedEvent = exact({ event: z.literal('CALL_NOT_PICKED'), ...lifecycle })
export type CallNotPickedEvent = z.infer<typeof CallNotPickedEvent>
