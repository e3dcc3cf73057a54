import type { EventRecord, GroupCreation, OrganizationRecord, SubscriptionRecord } from '@wabakit/core'

/** Builds an organization without numbers. */
export const organization = (overrides: Partial<OrganizationRecord> = {}): OrganizationRecord => ({
  id: 'acme',
  revision: 1,
  callSummaries: 'automatic',
  integrations: [],
  pstnNumbers: [],
  createdAt: 0,
  ...overrides,
})

/** Builds a subscription to all events of one number. */
export const subscription = (overrides: Partial<SubscriptionRecord> = {}): SubscriptionRecord => ({
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
  headers: {},
  maxAttemptsPerSecond: null,
  disabledReason: null,
  failingSince: null,
  isReported: false,
  createdAt: 0,
  updatedAt: 0,
  ...overrides,
})

let events = 0

/** Builds an event of that number, with a unique id and subject. */
export const event = (overrides: Partial<EventRecord> = {}): EventRecord => ({
  id: `evt_${++events}`,
  organizationId: 'acme',
  name: 'GROUP_CREATED',
  subject: `group:${events}`,
  channel: 'WHATSAPP',
  digits: '15550100001',
  payload: '{"event":"GROUP_CREATED"}',
  waitsFor: null,
  traceparent: null,
  hasCustomPayload: false,
  occurredAt: Date.now(),
  ...overrides,
})

/** Builds the creation of a group, with its event. */
export const groupCreation = (clientCustomGroupId: string): GroupCreation => ({
  group: {
    organizationId: 'acme',
    clientCustomGroupId,
    requestHash: null,
    wabaNumber: '+15550100001',
    digits: '15550100001',
    subject: 'Launch',
    description: null,
    joinApprovalMode: 'auto_approve',
    inviteLink: null,
    createdAt: Date.now(),
  },
  event: event({ subject: `group:${clientCustomGroupId}` }),
})
