import * as z from 'zod/mini'
import { type CallDetailsShape, defineCallDetails } from './call-details.ts'
import { type Exact, exact } from './exact.ts'

// Fields that a live service sends but the specification does not mention. Those typed as `unknown` have no published
// type, and a wrong guess would make the whole event fail.
const defineUnspecifiedFields = () => ({
  /** The organization's WhatsApp Business number, for WhatsApp calls. */
  wabaNumber: z.nullish(z.string()),
  /** The customer's name. */
  customerName: z.nullish(z.string()),
  /** The service's id for the customer. */
  customerId: z.optional(z.unknown()),
  /** The service's id for the chat. */
  chatId: z.optional(z.unknown()),
  /** The service's id for the message that represents the call in the chat. */
  chatMessageId: z.optional(z.unknown()),
  /** Who answered the call. */
  pickedBy: z.optional(z.unknown()),
  /** Who rejected the call. */
  rejectedBy: z.optional(z.unknown()),
  /** Who ended the call. */
  endedBy: z.optional(z.unknown()),
  /** The device that answered the call. */
  deviceId: z.optional(z.unknown()),
  /** Why the call failed. */
  failedReason: z.nullish(z.string()),
  /** URL of the recording. */
  recordingUrl: z.nullish(z.string()),
})

/**
 * Schemas of the fields of a call lifecycle event. Only `event` and `callId` are required.
 *
 * @interface
 */
export type CallEventShape<Name extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
} & CallDetailsShape &
  ReturnType<typeof defineUnspecifiedFields>

const defineMissedFields = () => ({
  /** Whether this is the customer's first call. */
  isNewCaller: z.optional(z.unknown()),
  /** Whether a team member is assigned to the chat. */
  isChatAssigned: z.optional(z.unknown()),
})

/**
 * Schemas of the fields that only CALL_MISSED has.
 *
 * @interface
 */
export type CallMissedShape = ReturnType<typeof defineMissedFields>

const defineCallEvent = <Name extends string>(name: Name): Exact<CallEventShape<Name>> =>
  exact(() => ({ event: z.literal(name), ...defineCallDetails(), ...defineUnspecifiedFields() }))

/** Schema of {@link CallIncomingInitiatedEvent}. */
export const CallIncomingInitiatedEvent = /* @__PURE__ */ defineCallEvent('CALL_INCOMING_INITIATED')

/**
 * A customer is calling the business. This is the first event of an incoming call.
 *
 * @interface
 */
export type CallIncomingInitiatedEvent = z.infer<typeof CallIncomingInitiatedEvent>

/** Schema of {@link CallOutgoingInitiatedEvent}. */
export const CallOutgoingInitiatedEvent = /* @__PURE__ */ defineCallEvent('CALL_OUTGOING_INITIATED')

/**
 * The business is calling a customer. This is the first event of an outgoing call.
 *
 * @interface
 */
export type CallOutgoingInitiatedEvent = z.infer<typeof CallOutgoingInitiatedEvent>

/** Schema of {@link CallAcceptedEvent}. */
export const CallAcceptedEvent = /* @__PURE__ */ defineCallEvent('CALL_ACCEPTED')

/**
 * The call was answered.
 *
 * @interface
 */
export type CallAcceptedEvent = z.infer<typeof CallAcceptedEvent>

/** Schema of {@link CallEndedEvent}. */
export const CallEndedEvent = /* @__PURE__ */ defineCallEvent('CALL_ENDED')

/**
 * The call ended. If nobody answered, `callStartedAt` may be an empty string.
 *
 * @interface
 */
export type CallEndedEvent = z.infer<typeof CallEndedEvent>

/** Schema of {@link CallMissedEvent}. */
export const CallMissedEvent: Exact<CallEventShape<'CALL_MISSED'> & CallMissedShape> = /* @__PURE__ */ exact(
  () => ({
    event: z.literal('CALL_MISSED'),
    ...defineCallDetails(),
    ...defineUnspecifiedFields(),
    ...defineMissedFields(),
  }),
)

/**
 * The call was missed. A live service sends this event; the reference server does not.
 *
 * @interface
 */
export type CallMissedEvent = z.infer<typeof CallMissedEvent>

/** Schema of {@link CallRejectedEvent}. */
export const CallRejectedEvent = /* @__PURE__ */ defineCallEvent('CALL_REJECTED')

/**
 * The call was rejected. A live service sends this event; the reference server does not.
 *
 * @interface
 */
export type CallRejectedEvent = z.infer<typeof CallRejectedEvent>

/** Schema of {@link CallNotPickedEvent}. */
export const CallNotPickedEvent = /* @__PURE__ */ defineCallEvent('CALL_NOT_PICKED')

/**
 * A WhatsApp call rang out. May be sent more than once per call. A live service sends this event; the reference server
 * does not.
 *
 * @interface
 */
export type CallNotPickedEvent = z.infer<typeof CallNotPickedEvent>
