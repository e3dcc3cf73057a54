import { type EventName, eventNames } from '@wabakit/contract'

export type Fields = Readonly<Record<string, unknown>>

export type SparseEvent = {
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
export const writeLiveCall: SparseEvent['change'] = ({
  event,
  callId,
  callDirection = 'INCOMING',
  callStatus,
  callStartedAt = '',
  callEndedAt = '',
}) => ({
  event,
  callId,
  chatMessageId: 'msg_1',
  chatId: '',
  wabaNumber: '12025550100',
  customerNumber: '12025550143',
  customerName: "Zoë O'Brien \u{1f44b}",
  customerId: 'customer_1',
  callDirection,
  callStatus,
  failedReason: '',
  durationInSeconds: event === 'CALL_ENDED' ? 42 : 0,
  callStartedAt,
  callEndedAt,
  pickedBy: callStatus === 'INITIATED' ? '' : 'Grace',
  rejectedBy: '',
  endedBy: event === 'CALL_ENDED' ? 'Ada' : '',
  recordingUrl: '',
  deviceId: '',
})

/** Writes an event of a group whose name and link are unknown. */
const writeLiveGroup: SparseEvent['change'] = (event) => ({
  ...event,
  orgId: 'org_1',
  integrationId: 'int_1',
  groupName: null,
  ...('inviteLink' in event && { inviteLink: null }),
})

const others = eventNames.filter((name) => name !== 'CALL_AI_SUMMARY')
const isOfGroup = (name: EventName): boolean => name.startsWith('GROUP_')

/** Lists one form of every event but the summary, which has its own checks. */
const listForms = (write: (name: EventName) => [label: string, event: SparseEvent]) =>
  Object.fromEntries(others.map(write))

/** Events as a live service may send them: with few fields, with empty ones, and with other texts than usual. */
export const sparseEvents: Readonly<Record<string, SparseEvent>> = {
  ...listForms((name) => [
    `${name} in the form of ${isOfGroup(name) ? 'unnamed groups' : 'WhatsApp calls'}`,
    { name, change: isOfGroup(name) ? writeLiveGroup : writeLiveCall, isHandled: true },
  ]),
  ...listForms((name) => [
    `${name} with nothing but its ${isOfGroup(name) ? 'groupId' : 'callId'}`,
    { name, change: strip },
  ]),
  'CALL_INCOMING_INITIATED with empty times': { name: 'CALL_INCOMING_INITIATED', change: set(unset) },
  'CALL_OUTGOING_INITIATED with empty times': { name: 'CALL_OUTGOING_INITIATED', change: set(unset) },
  'CALL_ENDED of a call that was canceled before an answer': {
    name: 'CALL_ENDED',
    change: set({ callDirection: 'OUTGOING', triggeredVia: 'UI', callStartedAt: '', durationInSeconds: 0 }),
  },
  'GROUP_CREATED with a name of 128 emoji': {
    name: 'GROUP_CREATED',
    change: set({ groupName: '\u{1f44b}'.repeat(128) }),
    isHandled: true,
  },
  'GROUP_CREATED with punctuation in its name': {
    name: 'GROUP_CREATED',
    change: set({ groupName: `Ann's "group" <1> & more; 50 % \\` }),
    isHandled: true,
  },
  'GROUP_PARTICIPANT_JOINED with a phone without a plus sign': {
    name: 'GROUP_PARTICIPANT_JOINED',
    change: set({ customerPhone: '12025550143' }),
    isHandled: true,
  },
}
