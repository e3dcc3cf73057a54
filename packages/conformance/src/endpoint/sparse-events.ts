import type { EventName } from '@wabakit/contract'

type Fields = Readonly<Record<string, unknown>>

type SparseEvent = {
  readonly name: EventName
  /** Changes the usual event of this name. */
  change(event: Fields): Fields
  /** Set if an application that handles the usual event must handle this one, too. */
  readonly isHandled?: boolean
}

const unset = { callStartedAt: '', callEndedAt: '', agentNumber: '', durationInSeconds: 0 }

const set =
  (fields: Fields): SparseEvent['change'] =>
  (event) => ({ ...event, ...fields })

/** Keeps only the fields that an event must have. */
const strip: SparseEvent['change'] = ({ event, callId, groupId }) => ({ event, callId, groupId })

/** Writes the fields that live services document for WhatsApp calls, which have no channel, from and to. */
const writeLive: SparseEvent['change'] = ({ event, callId, callStatus, callStartedAt, callEndedAt }) => ({
  event,
  callId,
  chatMessageId: 'msg_1',
  chatId: '',
  wabaNumber: '12025550100',
  customerNumber: '12025550143',
  customerName: 'Ada',
  customerId: 'customer_1',
  callDirection: 'INCOMING',
  callStatus,
  failedReason: '',
  durationInSeconds: 42,
  callStartedAt,
  callEndedAt,
  pickedBy: 'Grace',
  rejectedBy: '',
  endedBy: 'Ada',
  recordingUrl: '',
  deviceId: '',
})

/** Events as a live service may send them: with few fields, with empty ones, and with other texts than usual. */
export const sparseEvents: Readonly<Record<string, SparseEvent>> = {
  'CALL_INCOMING_INITIATED with empty times': { name: 'CALL_INCOMING_INITIATED', change: set(unset) },
  'CALL_OUTGOING_INITIATED with empty times': { name: 'CALL_OUTGOING_INITIATED', change: set(unset) },
  'CALL_ENDED in the form of WhatsApp calls': { name: 'CALL_ENDED', change: writeLive, isHandled: true },
  'CALL_ENDED of a call that was canceled before an answer': {
    name: 'CALL_ENDED',
    change: set({ callDirection: 'OUTGOING', triggeredVia: 'UI', callStartedAt: '', durationInSeconds: 0 }),
  },
  'CALL_ENDED with nothing but its callId': { name: 'CALL_ENDED', change: strip },
  'GROUP_CREATED with a name of 128 emoji': {
    name: 'GROUP_CREATED',
    change: set({ groupName: '\u{1f44b}'.repeat(128) }),
    isHandled: true,
  },
  'GROUP_CREATED with nothing but its groupId': { name: 'GROUP_CREATED', change: strip },
  'GROUP_PARTICIPANT_JOINED with a phone without a plus sign': {
    name: 'GROUP_PARTICIPANT_JOINED',
    change: set({ customerPhone: '12025550143' }),
    isHandled: true,
  },
  'GROUP_PARTICIPANT_LEFT with nothing but its groupId': { name: 'GROUP_PARTICIPANT_LEFT', change: strip },
}
