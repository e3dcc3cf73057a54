import type { WebhookEventOf } from '@wabakit/contract'
import type { CallRecord } from '../records.ts'
import { nameCustomer } from './call-data.ts'

/** Events of unanswered calls, which live services send, and the reference server only in simulations. */
export type ObservedCallEventName = 'CALL_NOT_PICKED' | 'CALL_MISSED' | 'CALL_REJECTED' | 'CALL_ENDED'

type ObservedCall = Pick<
  CallRecord,
  'callId' | 'channel' | 'direction' | 'channelNumber' | 'customerNumber' | 'updatedAt'
>

const statuses = {
  CALL_NOT_PICKED: 'INITIATED',
  CALL_MISSED: 'MISSED',
  CALL_REJECTED: 'REJECT',
  CALL_ENDED: 'END',
} as const

/** Returns the name of the event that a live service sends at the end of a call that was not answered. */
export const findObservedEnd = ({
  state,
  channel,
  direction,
}: Pick<CallRecord, 'state' | 'channel' | 'direction'>): ObservedCallEventName | undefined => {
  if (state !== 'missed' && state !== 'rejected') return undefined
  if (channel === 'PSTN') return 'CALL_MISSED'
  if (state === 'rejected') return 'CALL_REJECTED'
  return direction === 'INCOMING' ? 'CALL_MISSED' : 'CALL_ENDED'
}

/**
 * Builds an event for an unanswered call as a live service sends it: unset fields are an empty string or 0, and there
 * are additional fields.
 */
export const buildObservedCallEvent = <Name extends ObservedCallEventName>(
  name: Name,
  { callId, channel, direction, channelNumber, customerNumber, updatedAt }: ObservedCall,
) => {
  const customerName = nameCustomer(customerNumber)
  return {
    event: name,
    callId,
    ...(channel === 'PSTN' ? { channel, channelNumber } : { wabaNumber: channelNumber }),
    customerNumber,
    customerName,
    callDirection: direction,
    callStatus: statuses[name],
    durationInSeconds: 0,
    callStartedAt: '',
    callEndedAt: name === 'CALL_NOT_PICKED' ? '' : new Date(updatedAt).toISOString(),
    recordingUrl: '',
    ...(name === 'CALL_MISSED' && { isNewCaller: true, isChatAssigned: false }),
    ...(name === 'CALL_REJECTED' && { rejectedBy: direction === 'INCOMING' ? 'agent' : customerName }),
  } satisfies Partial<WebhookEventOf<ObservedCallEventName>>
}
