import type { EventRecord, GroupCreation, OrganizationRecord, SubscriptionRecord } from '@wabakit/core'

/** When everything happens: 1 January 2026. */
export const start = Date.UTC(2026, 0, 1)

/** An organization, as a store keeps it. */
export const organization = (id = 'acme'): OrganizationRecord => ({
  id,
  revision: 1,
  callSummaries: 'automatic',
  integrations: [],
  pstnNumbers: [],
  createdAt: start,
})

/** A subscription to all events of its WABA number. */
export const subscription = (changes: Partial<SubscriptionRecord> = {}): SubscriptionRecord => ({
  id: 'sub_1',
  organizationId: 'acme',
  revision: 1,
  channel: 'WHATSAPP',
  number: '+15550100001',
  digits: '15550100001',
  url: 'https://receiver.example/hook',
  events: 'all',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previousSecret: null,
  disabledReason: null,
  failingSince: null,
  createdAt: start,
  updatedAt: start,
  ...changes,
})

/** The event that a group was created. */
export const groupEvent = (groupId: string, changes: Partial<EventRecord> = {}): EventRecord => ({
  id: `evt_${groupId}`,
  organizationId: 'acme',
  name: 'GROUP_CREATED',
  subject: `group:${groupId}`,
  channel: 'WHATSAPP',
  digits: '15550100001',
  payload: JSON.stringify({ event: 'GROUP_CREATED', groupId }),
  waitsFor: null,
  occurredAt: start,
  ...changes,
})

/** The creation of a group, with its event. */
export const groupCreation = (groupId: string): GroupCreation => ({
  group: {
    organizationId: 'acme',
    clientCustomGroupId: groupId,
    requestHash: null,
    wabaNumber: '+15550100001',
    digits: '15550100001',
    subject: 'Team',
    description: null,
    joinApprovalMode: 'auto_approve',
    inviteLink: null,
    createdAt: start,
  },
  event: groupEvent(groupId),
})
