import type { CallDirection, Channel, WebhookEventOf } from '@wabakit/contract'

/** Call events seen on a live service that the specification does not name; the reference server never sends them. */
export const observedCallEvents = ['CALL_MISSED', 'CALL_REJECTED', 'CALL_NOT_PICKED'] as const

/** Name of a further observed call event. */
export type ObservedCallEventName = (typeof observedCallEvents)[number]

/** Of which call an observed event tells. */
export type ObservedCall = {
  readonly callId: string
  readonly channel: Channel
  readonly direction: CallDirection
  readonly channelNumber: string
  readonly customerNumber: string
  readonly customerName: string
}

const statuses = {
  CALL_MISSED: 'MISSED',
  CALL_REJECTED: 'REJECT',
  CALL_NOT_PICKED: 'MISSED',
  CALL_ENDED: 'END',
} as const

/**
 * An event of a call that nobody answered, as a live service sends it: what is unset is an empty string or 0, and
 * further fields come along.
 */
export const observedCallEvent = <Name extends ObservedCallEventName | 'CALL_ENDED'>(
  name: Name,
  { callId, channel, direction, channelNumber, customerNumber, customerName }: ObservedCall,
) =>
  ({
    event: name,
    callId,
    ...(channel === 'PSTN' ? { channel, channelNumber } : { wabaNumber: channelNumber }),
    customerNumber,
    customerName,
    callDirection: direction,
    callStatus: statuses[name],
    durationInSeconds: 0,
    callStartedAt: '',
    callEndedAt: '',
    recordingUrl: '',
    ...(name === 'CALL_MISSED' && { isNewCaller: true, isChatAssigned: false }),
    ...(name === 'CALL_REJECTED' && { rejectedBy: 'agent' }),
  }) satisfies Partial<WebhookEventOf<ObservedCallEventName>> | Partial<WebhookEventOf<'CALL_ENDED'>>
