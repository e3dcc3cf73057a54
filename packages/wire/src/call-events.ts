import { type CallAiSummaryEvent, callAiSummaryRule } from './call-ai-summary-event.ts'
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
  /**
   * Agent who answered an incoming call or placed an outgoing one. It does not prove that the call was
   * answered. For display only.
   */
  pickedBy?: string | null | undefined
  /** Party that declined the call. For display only. */
  rejectedBy?: string | null | undefined
  /** Party that ended the call. For display only. */
  endedBy?: string | null | undefined
  /** Id of a device. Events of WhatsApp calls have one even before the call is answered. */
  deviceId?: string | null | undefined
  /** Why the call failed. */
  failedReason?: string | null | undefined
  /** URL of the recording. */
  recordingUrl?: string | null | undefined
}

/**
 * The fields of every call lifecycle event. Only `event` and `callId` are required. The specification does not mention
 * `wabaNumber` and the fields after it; a live service sends them.
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
 * The call ended without an answer. On WhatsApp, it is an incoming call that no agent answered; PSTN calls may be
 * outgoing. CALL_ENDED does not necessarily follow. A live service sends this event; the reference server sends it
 * only in simulations and as a test event.
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
 * sends it only in simulations and as a test event.
 *
 * @interface
 */
export type CallRejectedEvent = CallLifecycleEvent<'CALL_REJECTED'>

/**
 * One agent did not answer in time, and the incoming WhatsApp call rings for the next one. The call does not
 * end: another event follows, such as CALL_ACCEPTED or CALL_MISSED. Sent once for each such agent. It does not identify the agent, so two of
 * these events of one call may be identical. Deliveries may also be repeated, so their number is an upper bound on
 * the number of agents. A live service sends this event; the reference server sends it only in simulations
 * and as a test event.
 *
 * @interface
 */
export type CallNotPickedEvent = CallLifecycleEvent<'CALL_NOT_PICKED'>

/** Any event about a call. The reference server sends the last three only in simulations and as test events. */
export type AnyCallEvent =
  | CallIncomingInitiatedEvent
  | CallOutgoingInitiatedEvent
  | CallAcceptedEvent
  | CallEndedEvent
  | CallAiSummaryEvent
  | CallMissedEvent
  | CallRejectedEvent
  | CallNotPickedEvent

type OfName<Name> = Extract<AnyCallEvent, { event: Name }>

export const callEventRules: {
  readonly [Name in AnyCallEvent['event']]: Rule<Omit<OfName<Name>, 'event'>>
} = {
  CALL_INCOMING_INITIATED: callLifecycleRule,
  CALL_OUTGOING_INITIATED: callLifecycleRule,
  CALL_ACCEPTED: callLifecycleRule,
  CALL_ENDED: callLifecycleRule,
  CALL_AI_SUMMARY: callAiSummaryRule,
  CALL_MISSED: callMissedRule,
  CALL_REJECTED: callLifecycleRule,
  CALL_NOT_PICKED: callLifecycleRule,
}

// This is a function, because bundlers cannot drop an unused constant with spread fields.
const defineExamples = () => {
  const incoming = {
    callId: 'call_01K8ZQ6T5V7RXN3GMW4YB2HCDE',
    channel: 'PSTN',
    callDirection: 'INCOMING',
    from: '+12025550100',
    to: '+12025550143',
    channelNumber: '+12025550100',
    customerNumber: '+12025550143',
    agentNumber: '+12025550117',
    callType: 'AGENT',
    triggeredVia: 'INBOUND',
  } as const

  const { agentNumber: _, ...bot } = incoming
  const outgoing = {
    ...bot,
    callId: 'call_01K8ZQB1W9D4SJ6E8FKAP0XVTN',
    channel: 'WHATSAPP',
    callDirection: 'OUTGOING',
    callType: 'AI_BOT',
    triggeredVia: 'CAMPAIGN',
  } as const

  const ended = {
    callStatus: 'END',
    ...incoming,
    durationInSeconds: 42,
    callStartedAt: '2026-01-05T10:00:00.000Z',
    callEndedAt: '2026-01-05T10:00:42.000Z',
  } as const

  const missed = {
    callId: outgoing.callId,
    callDirection: 'INCOMING',
    durationInSeconds: 0,
    callStartedAt: '',
    callEndedAt: '2026-01-05T09:30:20Z',
    wabaNumber: '12025550100',
    customerNumber: '12025550143',
    customerName: 'Ada',
  } as const

  return {
    CALL_INCOMING_INITIATED: { event: 'CALL_INCOMING_INITIATED', callStatus: 'INITIATED', ...incoming },
    CALL_OUTGOING_INITIATED: { event: 'CALL_OUTGOING_INITIATED', callStatus: 'INITIATED', ...outgoing },
    CALL_ACCEPTED: {
      event: 'CALL_ACCEPTED',
      callStatus: 'IN_PROGRESS',
      ...incoming,
      callStartedAt: ended.callStartedAt,
    },
    CALL_ENDED: { event: 'CALL_ENDED', ...ended },
    CALL_AI_SUMMARY: {
      event: 'CALL_AI_SUMMARY',
      ...ended,
      summary: {
        recap: 'The customer asked when order 1234 arrives and whether its address can still be changed.',
        keyPoints: ['Order 1234 has not been shipped', 'The customer has moved'],
        nextSteps: ['Change the delivery address', 'Confirm by message'],
      },
    },
    CALL_MISSED: { event: 'CALL_MISSED', ...missed, callStatus: 'MISSED', isNewCaller: true },
    CALL_REJECTED: { event: 'CALL_REJECTED', ...missed, callStatus: 'REJECT' },
    CALL_NOT_PICKED: { event: 'CALL_NOT_PICKED', ...missed, callStatus: 'INITIATED', callEndedAt: '' },
  } satisfies { readonly [Name in AnyCallEvent['event']]: OfName<Name> }
}

/**
 * An example of each event about a call. Those that the reference server sends only in simulations and as test events have the
 * format of live services.
 */
export const callEventExamples = /* @__PURE__ */ defineExamples()
