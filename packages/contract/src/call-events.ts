import * as z from 'zod/mini'
import { type CallDetailsShape, callDetails } from './call-details.ts'
import { type Exact, exact } from './exact.ts'

// Seen on a live service of this interface, and not named by the specification. What is `unknown` here has no
// published type; a guess at it could make a whole event fail.
const seen = () => ({
  /** The WhatsApp Business number, on a WhatsApp call. */
  wabaNumber: z.nullish(z.string()),
  /** The customer's name. */
  customerName: z.nullish(z.string()),
  /** The service's id of the customer. */
  customerId: z.optional(z.unknown()),
  /** The service's id of the chat. */
  chatId: z.optional(z.unknown()),
  /** The service's id of the call's message in the chat. */
  chatMessageId: z.optional(z.unknown()),
  /** Who picked up. */
  pickedBy: z.optional(z.unknown()),
  /** Who rejected the call. */
  rejectedBy: z.optional(z.unknown()),
  /** Who ended the call. */
  endedBy: z.optional(z.unknown()),
  /** The device that took the call. */
  deviceId: z.optional(z.unknown()),
  /** Why the call failed. */
  failedReason: z.nullish(z.string()),
  /** Where the recording is. */
  recordingUrl: z.nullish(z.string()),
})

/** Fields of a call's lifecycle event. Only `event` and `callId` are sure to be there. */
export type CallEventShape<Name extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
} & CallDetailsShape &
  ReturnType<typeof seen>

const missed = () => ({
  /** Whether the customer calls for the first time. */
  isNewCaller: z.optional(z.unknown()),
  /** Whether a team member is assigned to the chat. */
  isChatAssigned: z.optional(z.unknown()),
})

/** Fields that only CALL_MISSED may add. */
export type CallMissedShape = ReturnType<typeof missed>

const callEvent = <Name extends string>(name: Name): Exact<CallEventShape<Name>> =>
  exact(() => ({ event: z.literal(name), ...callDetails(), ...seen() }))

/** A customer started a call to the business: the first event of an incoming call. */
export const CallIncomingInitiatedEvent = /* @__PURE__ */ callEvent('CALL_INCOMING_INITIATED')
export type CallIncomingInitiatedEvent = z.infer<typeof CallIncomingInitiatedEvent>

/** The business started a call to a customer: the first event of an outgoing call. */
export const CallOutgoingInitiatedEvent = /* @__PURE__ */ callEvent('CALL_OUTGOING_INITIATED')
export type CallOutgoingInitiatedEvent = z.infer<typeof CallOutgoingInitiatedEvent>

/** The call was answered. */
export const CallAcceptedEvent = /* @__PURE__ */ callEvent('CALL_ACCEPTED')
export type CallAcceptedEvent = z.infer<typeof CallAcceptedEvent>

/** The call is over. An unanswered call's `callStartedAt` may be an empty string. */
export const CallEndedEvent = /* @__PURE__ */ callEvent('CALL_ENDED')
export type CallEndedEvent = z.infer<typeof CallEndedEvent>

/** The call was missed. Seen on a live service; the reference server never emits it. */
export const CallMissedEvent: Exact<CallEventShape<'CALL_MISSED'> & CallMissedShape> = /* @__PURE__ */ exact(
  () => ({
    event: z.literal('CALL_MISSED'),
    ...callDetails(),
    ...seen(),
    ...missed(),
  }),
)
export type CallMissedEvent = z.infer<typeof CallMissedEvent>

/** The call was rejected. Seen on a live service; the reference server never emits it. */
export const CallRejectedEvent = /* @__PURE__ */ callEvent('CALL_REJECTED')
export type CallRejectedEvent = z.infer<typeof CallRejectedEvent>

/** Nobody picked up; may repeat for one call, WhatsApp only. Seen; the reference server never emits it. */
export const CallNotPickedEvent = /* @__PURE__ */ callEvent('CALL_NOT_PICKED')
export type CallNotPickedEvent = z.infer<typeof CallNotPickedEvent>
