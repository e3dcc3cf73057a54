import type { WebhookEventOf } from '@wabakit/contract'
import type { CallRecord } from '@wabakit/core'

/**
 * Call events that live services send, but that the specification does not mention. The reference server never sends
 * them.
 */
export type ObservedCallEventName = 'CALL_MISSED' | 'CALL_REJECTED' | 'CALL_NOT_PICKED'

type ObservedCall = Pick<
  CallRecord,
  'callId' | 'channel' | 'direction' | 'channelNumber' | 'customerNumber'
> & { readonly customerName: string }

const statuses = {
  CALL_MISSED: 'MISSED',
  CALL_REJECTED: 'REJECT',
  CALL_NOT_PICKED: 'MISSED',
  CALL_ENDED: 'END',
} as const

/**
 * Builds an event for an unanswered call as a live service sends it: unset fields are an empty string or 0, and there
 * are additional fields.
 */
export const buildObservedCallEvent = <Name extends ObservedCallEventName | 'CALL_ENDED'>(
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
