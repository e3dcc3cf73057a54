// What is published about the payloads of a live service, with invented values. `common` fields are merged into each.

const group = { orgId: 'org_1Fp8', integrationId: 'int_6Wd3', groupId: 'trip-77', groupName: 'Trip 77' }
const { orgId: _, integrationId: __, ...older } = group
const createdAt = { groupCreatedAt: '2026-02-03T08:00:00.000Z' }
const joinedAt = { customerPhone: '+12025550161', participantJoinedAt: '2026-02-03T08:05:00.000Z' }
const leftAt = { customerPhone: '+12025550161', participantLeftAt: '2026-02-04T16:20:00.000Z' }
const removedAt = { customerPhone: '+12025550161', participantRemovedAt: '2026-02-04T16:20:00.000Z' }
const link = { inviteLink: 'https://chat.example.com/Kp4Rt9' }

/** Group events in the newer form, with and without a resolved id, and in the older form, which has no name. */
export const groupSamples: readonly (readonly [name: string, body: object])[] = [
  ['GROUP_CREATED', { event: 'GROUP_CREATED', ...group, ...link, ...createdAt }],
  [
    'GROUP_CREATED',
    { event: 'GROUP_CREATED', ...group, groupId: null, groupName: null, inviteLink: null, ...createdAt },
  ],
  ['GROUP_PARTICIPANT_JOINED', { event: 'GROUP_PARTICIPANT_JOINED', ...group, ...joinedAt }],
  ['GROUP_PARTICIPANT_JOINED', { event: 'GROUP_PARTICIPANT_JOINED', ...group, groupId: null, ...joinedAt }],
  ['GROUP_PARTICIPANT_LEFT', { event: 'GROUP_PARTICIPANT_LEFT', ...group, ...leftAt }],
  ['GROUP_PARTICIPANT_LEFT', { event: 'GROUP_PARTICIPANT_LEFT', ...group, groupId: null, ...leftAt }],
  ['GROUP_PARTICIPANT_REMOVED', { event: 'GROUP_PARTICIPANT_REMOVED', ...group, ...removedAt }],
  [
    'GROUP_PARTICIPANT_REMOVED',
    { event: 'GROUP_PARTICIPANT_REMOVED', ...group, groupId: null, ...removedAt },
  ],
  ['GROUP_CREATED', { ...older, ...link, ...createdAt }],
  ['GROUP_PARTICIPANT_JOINED', { ...older, ...joinedAt, customerPhone: '12025550161' }],
  ['GROUP_PARTICIPANT_LEFT', { ...older, ...leftAt, customerPhone: '12025550161' }],
  ['GROUP_PARTICIPANT_REMOVED', { ...older, ...removedAt, customerPhone: '12025550161' }],
]

const unset = {
  failedReason: '',
  durationInSeconds: 0,
  callStartedAt: '',
  callEndedAt: '',
  pickedBy: '',
  rejectedBy: '',
  endedBy: '',
  recordingUrl: '',
}
const whatsapp = {
  callId: 'call_3Qm7',
  chatMessageId: 'msg_3Qm7',
  chatId: 'chat_9Bz2',
  wabaNumber: '12025550120',
  ...{
    customerNumber: '12025550161',
    customerName: 'Edsger',
    customerId: 'customer_4Ty5',
    deviceId: 'device_2Hn6',
  },
  callDirection: 'INCOMING',
  callStatus: 'INITIATED',
  ...unset,
}
const pstn = {
  callId: 'call_5Vk1',
  chatMessageId: '',
  chatId: '',
  wabaNumber: '',
  channel: 'PSTN',
  deviceId: '',
  channelNumber: '+12025550121',
  from: '+12025550121',
  customerNumber: '+12025550161',
  ...{
    customerName: 'Edsger',
    customerId: 'customer_4Ty5',
    callDirection: 'INCOMING',
    callStatus: 'INITIATED',
  },
  ...unset,
}
const answered = { callStatus: 'IN_PROGRESS', callStartedAt: '2026-02-03T09:00:00.000Z' }
const ended = {
  callStatus: 'END',
  durationInSeconds: 61,
  callStartedAt: '2026-02-03T09:00:00.000Z',
  callEndedAt: '2026-02-03T09:01:01.000Z',
}
const summary = {
  recap: 'Asked for a later train.',
  keyPoints: ['Booked for noon'],
  nextSteps: ['Send new times'],
}

/** Calls on both channels. */
export const callSamples: readonly (readonly [name: string, fields: object])[] = [
  ['CALL_INCOMING_INITIATED', { ...whatsapp, chatId: '' }],
  ['CALL_OUTGOING_INITIATED', { ...whatsapp, callDirection: 'OUTGOING', pickedBy: 'Barbara' }],
  ['CALL_NOT_PICKED', { ...whatsapp, chatId: '' }],
  ['CALL_ACCEPTED', { ...whatsapp, ...answered, pickedBy: '+12025550133' }],
  ['CALL_ACCEPTED', { ...whatsapp, ...answered, callDirection: 'OUTGOING', pickedBy: 'Barbara' }],
  [
    'CALL_ENDED',
    {
      ...whatsapp,
      ...ended,
      pickedBy: 'Barbara',
      endedBy: 'Edsger',
      recordingUrl: 'https://recordings.example.com/call_3Qm7.mp3',
    },
  ],
  [
    'CALL_MISSED',
    {
      ...whatsapp,
      callStatus: 'MISSED',
      callEndedAt: '2026-02-03T09:00:40.000Z',
      isNewCaller: false,
      isChatAssigned: true,
    },
  ],
  [
    'CALL_REJECTED',
    { ...whatsapp, callStatus: 'REJECT', callEndedAt: '2026-02-03T09:00:09.000Z', rejectedBy: 'Barbara' },
  ],
  [
    'CALL_ENDED',
    {
      ...whatsapp,
      callDirection: 'OUTGOING',
      callStatus: 'FAILED',
      failedReason: 'No permission',
      pickedBy: 'Barbara',
    },
  ],
  ['CALL_INCOMING_INITIATED', pstn],
  ['CALL_OUTGOING_INITIATED', { ...pstn, callDirection: 'OUTGOING', pickedBy: '+12025550133' }],
  ['CALL_ACCEPTED', { ...pstn, ...answered, pickedBy: '+12025550133' }],
  ['CALL_ENDED', { ...pstn, ...ended, pickedBy: '+12025550133', endedBy: '+12025550133' }],
  [
    'CALL_MISSED',
    { ...pstn, callDirection: 'OUTGOING', callStatus: 'MISSED', callEndedAt: '2026-02-03T09:00:30.000Z' },
  ],
  [
    'CALL_AI_SUMMARY',
    {
      ...pstn,
      ...ended,
      to: '+12025550161',
      agentNumber: '+12025550133',
      callType: 'AGENT',
      triggeredVia: 'INBOUND',
      summary,
    },
  ],
]

/** Other events at the same URL. All are unknown. */
export const otherSamples: readonly (readonly [name: string | undefined, body: object])[] = [
  [
    undefined,
    {
      to: '10293847561029384756',
      from: '12025550161',
      messageId: 'wamid-7',
      receivedAt: '2026-02-03T08:10:00.000Z',
      type: 'wa_group',
      message: { type: 'TEXT', text: 'Hi', context: {} },
      customerId: 'customer_4Ty5',
    },
  ],
  [
    undefined,
    {
      from: '+12025550161',
      to: '+12025550120',
      receivedAt: '2026-02-03T09:00:00.000Z',
      messageId: 'wamid-8',
      pairedMessageId: 'wamid-7',
      response: 'accept',
      responseSource: 'user_initiated',
      expirationTimestamp: 1_770_000_000,
      isPermanent: false,
    },
  ],
  [
    undefined,
    {
      from: '+12025550161',
      to: '+12025550120',
      receivedAt: '2026-02-03T09:00:00.000Z',
      messageId: 'wamid-8',
      response: 'reject',
      responseSource: 'user_initiated',
    },
  ],
  [
    undefined,
    { messageId: 'm-7', to: '12025550161', status: 'READ', statusTimestamp: '2026-02-03T08:11:00.000Z' },
  ],
  [
    undefined,
    { tagId: 'tag_7', tagName: 'Trips', from: '+12025550161', channelType: 'WHATSAPP', tagAdded: true },
  ],
  [
    'note-created',
    {
      event: 'note-created',
      noteId: 'note_7',
      wabaNumber: '+12025550120',
      note: 'Ask again',
      createdAt: '2026-02-03T09:30:00.000Z',
    },
  ],
  [
    'ON_SLA_ESCALATED_PUBLIC',
    {
      customerPhone: '+12025550161',
      slaName: 'Fast',
      escalationLevel: 1,
      eventType: 'ON_SLA_ESCALATED_PUBLIC',
    },
  ],
]
