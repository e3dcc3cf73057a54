import type { EventName, WebhookEventOf } from '@wabakit/wire'
import type { CreateGroupRequest, CreateGroupResponse } from '../create-group.ts'
import type { PublishedEventName, PublishedEventOf } from '../published-event.ts'

const group = { groupId: 'order-1234', groupName: 'Order 1234' }
const participant = { ...group, customerPhone: '+12025550143' }

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

/** Example of each event that the reference server sends. */
export const publishedExamples: { readonly [Name in PublishedEventName]: PublishedEventOf<Name> } = {
  GROUP_CREATED: {
    event: 'GROUP_CREATED',
    ...group,
    inviteLink: 'https://chat.example.com/Jx7Qm2',
    groupCreatedAt: '2026-01-05T09:00:00.000Z',
  },
  GROUP_PARTICIPANT_JOINED: {
    event: 'GROUP_PARTICIPANT_JOINED',
    ...participant,
    participantJoinedAt: '2026-01-05T09:05:00.000Z',
  },
  GROUP_PARTICIPANT_LEFT: {
    event: 'GROUP_PARTICIPANT_LEFT',
    ...participant,
    participantLeftAt: '2026-01-06T17:45:00.000Z',
  },
  GROUP_PARTICIPANT_REMOVED: {
    event: 'GROUP_PARTICIPANT_REMOVED',
    ...participant,
    participantRemovedAt: '2026-01-06T17:45:00.000Z',
  },
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
}

/**
 * Example payload of each known event: the nine in the specification as the reference server sends them, and the other
 * three as a live service sends them.
 */
export const eventExamples: { readonly [Name in EventName]: WebhookEventOf<Name> } = {
  ...publishedExamples,
  CALL_MISSED: { event: 'CALL_MISSED', ...missed, callStatus: 'MISSED', isNewCaller: true },
  CALL_REJECTED: { event: 'CALL_REJECTED', ...missed, callStatus: 'REJECT' },
  CALL_NOT_PICKED: { event: 'CALL_NOT_PICKED', ...missed, callStatus: 'INITIATED', callEndedAt: '' },
}

export const createGroupRequestExample: CreateGroupRequest = {
  wabaNumber: '+12025550100',
  subject: group.groupName,
  description: 'Everything about the delivery of order 1234',
  joinApprovalMode: 'approval_required',
  groupId: group.groupId,
}

export const createGroupResponseExample: CreateGroupResponse = { success: true, groupId: group.groupId }
