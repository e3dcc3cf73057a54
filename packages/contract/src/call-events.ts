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

/**
 * Fields of a call's lifecycle event. Only `event` and `callId` are sure to be there.
 *
 * @interface
 */
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

/**
 * Fields that only CALL_MISSED may add.
 *
 * @interface
 */
export type CallMissedShape = ReturnType<typeof missed>

const callEvent = <Name extends string>(name: Name): Exact<CallEventShape<Name>> =>
  exact(() => ({ event: z.literal(name), ...callDetails(), ...seen() }))

/** Schema of {@link CallIncomingInitiatedEvent}. */
export const CallIncomingInitiatedEvent = /* @__PURE__ */ callEvent('CALL_INCOMING_INITIATED')

/**
 * A customer started a call to the business: the first event of an incoming call.
 *
 * @interface
 */
export type CallIncomingInitiatedEvent = z.infer<typeof CallIncomingInitiatedEvent>

/** Schema of {@link CallOutgoingInitiatedEvent}. */
export const CallOutgoingInitiatedEvent = /* @__PURE__ */ callEvent('CALL_OUTGOING_INITIATED')

/**
 * The business started a call to a customer: the first event of an outgoing call.
 *
 * @interface
 */
export type CallOutgoingInitiatedEvent = z.infer<typeof CallOutgoingInitiatedEvent>

/** Schema of {@link CallAcceptedEvent}. */
export const CallAcceptedEvent = /* @__PURE__ */ callEvent('CALL_ACCEPTED')

/**
 * The call was answered.
 *
 * @interface
 */
export type CallAcceptedEvent = z.infer<typeof CallAcceptedEvent>

/** Schema of {@link CallEndedEvent}. */
export const CallEndedEvent = /* @__PURE__ */ callEvent('CALL_ENDED')

/**
 * The call is over. An unanswered call's `callStartedAt` may be an empty string.
 *
 * @interface
 */
export type CallEndedEvent = z.infer<typeof CallEndedEvent>

/** Schema of {@link CallMissedEvent}. */
export const CallMissedEvent: Exact<CallEventShape<'CALL_MISSED'> & CallMissedShape> = /* @__PURE__ */ exact(
  () => ({
    event: z.literal('CALL_MISSED'),
    ...callDetails(),
    ...seen(),
    ...missed(),
  }),
)
/**
 * The call was missed. Seen on a live service; the reference server never emits it.
 *
 * @interface
 */
export type CallMissedEvent = z.infer<typeof CallMissedEvent>

/** Schema of {@link CallRejectedEvent}. */
export const CallRejectedEvent = /* @__PURE__ */ callEvent('CALL_REJECTED')

/**
 * The call was rejected. Seen on a live service; the reference server never emits it.
 *
 * @interface
 */
export type CallRejectedEvent = z.infer<typeof CallRejectedEvent>

/** Schema of {@link CallNotPickedEvent}. */
export const CallNotPickedEvent = /* @__PURE__ */ callEvent('CALL_NOT_PICKED')

/**
 * Nobody picked up; may repeat for one call, WhatsApp only. Seen; the reference server never emits it.
 *
 * @interface
 */
export type CallNotPickedEvent = z.infer<typeof CallNotPickedEvent>
