import { type CallDetails, callDetails } from './call-fields.ts'
import { boolean, nullable, nullish, object, type Rule, type Rules, text, unchecked } from './rules.ts'

type CallLifecycleEventFields<Name extends string> = CallDetails & {
  /** The event's name. */
  event: Name
  /** The organization's WhatsApp Business number, for WhatsApp calls. */
  wabaNumber?: string | null | undefined
  /** The customer's name. */
  customerName?: string | null | undefined
  /** The service's id for the customer. */
  customerId?: string | null | undefined
  /** The service's id for the chat. */
  chatId?: string | null | undefined
  /** The service's id for the message that represents the call in the chat. */
  chatMessageId?: string | null | undefined
  /** Agent who answered an incoming call or placed an outgoing one, so it proves no answer. For display only. */
  pickedBy?: string | null | undefined
  /** Party that declined the call. For display only. */
  rejectedBy?: string | null | undefined
  /** Party that ended the call. For display only. */
  endedBy?: string | null | undefined
  /** The device that answered the call. */
  deviceId?: string | null | undefined
  /** Why the call failed. */
  failedReason?: string | null | undefined
  /** URL of the recording. */
  recordingUrl?: string | null | undefined
}

/**
 * The fields of every call lifecycle event. Only `event` and `callId` are required. The specification does not mention the
 * fields after `triggeredVia`; a live service sends them.
 *
 * @interface
 */
export type CallLifecycleEvent<Name extends string> = {
  [Field in keyof CallLifecycleEventFields<Name>]: CallLifecycleEventFields<Name>[Field]
}

type LifecycleFields = Omit<CallLifecycleEvent<string>, 'event'>

const lifecycleFields = (): Rules<LifecycleFields> => ({
  ...callDetails(),
  wabaNumber: nullish(text),
  customerName: nullish(text),
  customerId: unchecked(nullable(text)),
  chatId: unchecked(nullable(text)),
  chatMessageId: unchecked(nullable(text)),
  pickedBy: unchecked(nullable(text)),
  rejectedBy: unchecked(nullable(text)),
  endedBy: unchecked(nullable(text)),
  deviceId: unchecked(nullable(text)),
  failedReason: nullish(text),
  recordingUrl: nullish(text),
})

export const callLifecycleRule: Rule<LifecycleFields> = /* @__PURE__ */ object(lifecycleFields)

/**
 * A customer is calling the business. This is the first event of an incoming call.
 *
 * @interface
 */
export type CallIncomingInitiatedEvent = CallLifecycleEvent<'CALL_INCOMING_INITIATED'>

/**
 * The business is calling a customer. This is the first event of an outgoing call.
 *
 * @interface
 */
export type CallOutgoingInitiatedEvent = CallLifecycleEvent<'CALL_OUTGOING_INITIATED'>

/**
 * The call was answered.
 *
 * @interface
 */
export type CallAcceptedEvent = CallLifecycleEvent<'CALL_ACCEPTED'>

/**
 * The call ended. If it was not answered, `callStartedAt` may be an empty string.
 *
 * @interface
 */
export type CallEndedEvent = CallLifecycleEvent<'CALL_ENDED'>

type CallMissedEventFields = CallLifecycleEvent<'CALL_MISSED'> & {
  /** True if the customer has exchanged no messages with this number. */
  isNewCaller?: boolean | null | undefined
  /** True if a team member was assigned to the chat when the call came in. */
  isChatAssigned?: boolean | null | undefined
}

/**
 * The call ended without an answer. On WhatsApp, it is an incoming call that no agent answered; PSTN calls may be outgoing.
 * No CALL_ENDED has to follow. A live service sends this event; the reference server does not.
 *
 * @interface
 */
export type CallMissedEvent = { [Field in keyof CallMissedEventFields]: CallMissedEventFields[Field] }

export const callMissedRule: Rule<Omit<CallMissedEvent, 'event'>> = /* @__PURE__ */ object(() => ({
  ...lifecycleFields(),
  isNewCaller: unchecked(nullable(boolean)),
  isChatAssigned: unchecked(nullable(boolean)),
}))

/**
 * The call was declined, which ended it. Not sent for PSTN calls. A live service sends this event; the reference server
 * does not.
 *
 * @interface
 */
export type CallRejectedEvent = CallLifecycleEvent<'CALL_REJECTED'>

/**
 * The ring of one agent timed out, and the incoming WhatsApp call goes on ringing for the next. It ends nothing:
 * CALL_ACCEPTED or CALL_MISSED follows. Sent for each such agent without a name, so two of a call may be identical, and
 * a count of them is an upper bound, because deliveries may be repeated. A live service sends this event; the reference
 * server does not.
 *
 * @interface
 */
export type CallNotPickedEvent = CallLifecycleEvent<'CALL_NOT_PICKED'>
