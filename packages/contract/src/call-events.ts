import type * as wire from '@wabakit/wire'
import * as z from 'zod/mini'
import { defineCallDetails } from './call-details.ts'
import { exact, type ObjectSchema } from './exact.ts'
import { unchecked } from './unchecked.ts'

const defineCallEvent = <Name extends string>(name: Name) => ({
  event: z.literal(name),
  ...defineCallDetails(),
  wabaNumber: z.nullish(z.string()),
  customerName: z.nullish(z.string()),
  customerId: unchecked(z.nullable(z.string())),
  chatId: unchecked(z.nullable(z.string())),
  chatMessageId: unchecked(z.nullable(z.string())),
  pickedBy: unchecked(z.nullable(z.string())),
  rejectedBy: unchecked(z.nullable(z.string())),
  endedBy: unchecked(z.nullable(z.string())),
  deviceId: unchecked(z.nullable(z.string())),
  failedReason: z.nullish(z.string()),
  recordingUrl: z.nullish(z.string()),
})

/**
 * A customer is calling the business. This is the first event of an incoming call.
 *
 * @interface
 */
export type CallIncomingInitiatedEvent = wire.CallIncomingInitiatedEvent

/** Schema of {@link CallIncomingInitiatedEvent}. */
export const CallIncomingInitiatedEvent: ObjectSchema<CallIncomingInitiatedEvent> = /* @__PURE__ */ exact(
  () => defineCallEvent('CALL_INCOMING_INITIATED'),
)

/**
 * The business is calling a customer. This is the first event of an outgoing call.
 *
 * @interface
 */
export type CallOutgoingInitiatedEvent = wire.CallOutgoingInitiatedEvent

/** Schema of {@link CallOutgoingInitiatedEvent}. */
export const CallOutgoingInitiatedEvent: ObjectSchema<CallOutgoingInitiatedEvent> = /* @__PURE__ */ exact(
  () => defineCallEvent('CALL_OUTGOING_INITIATED'),
)

/**
 * The call was answered.
 *
 * @interface
 */
export type CallAcceptedEvent = wire.CallAcceptedEvent

/** Schema of {@link CallAcceptedEvent}. */
export const CallAcceptedEvent: ObjectSchema<CallAcceptedEvent> = /* @__PURE__ */ exact(() =>
  defineCallEvent('CALL_ACCEPTED'),
)

/**
 * The call ended. If nobody answered, `callStartedAt` may be an empty string.
 *
 * @interface
 */
export type CallEndedEvent = wire.CallEndedEvent

/** Schema of {@link CallEndedEvent}. */
export const CallEndedEvent: ObjectSchema<CallEndedEvent> = /* @__PURE__ */ exact(() =>
  defineCallEvent('CALL_ENDED'),
)

/**
 * The call was missed. A live service sends this event; the reference server does not.
 *
 * @interface
 */
export type CallMissedEvent = wire.CallMissedEvent

/** Schema of {@link CallMissedEvent}. */
export const CallMissedEvent: ObjectSchema<CallMissedEvent> = /* @__PURE__ */ exact(() => ({
  ...defineCallEvent('CALL_MISSED'),
  isNewCaller: unchecked(z.nullable(z.boolean())),
  isChatAssigned: unchecked(z.nullable(z.boolean())),
}))

/**
 * The call was rejected. A live service sends this event; the reference server does not.
 *
 * @interface
 */
export type CallRejectedEvent = wire.CallRejectedEvent

/** Schema of {@link CallRejectedEvent}. */
export const CallRejectedEvent: ObjectSchema<CallRejectedEvent> = /* @__PURE__ */ exact(() =>
  defineCallEvent('CALL_REJECTED'),
)

/**
 * A WhatsApp call rang out. May be sent more than once per call. A live service sends this event; the reference server
 * does not.
 *
 * @interface
 */
export type CallNotPickedEvent = wire.CallNotPickedEvent

/** Schema of {@link CallNotPickedEvent}. */
export const CallNotPickedEvent: ObjectSchema<CallNotPickedEvent> = /* @__PURE__ */ exact(() =>
  defineCallEvent('CALL_NOT_PICKED'),
)
