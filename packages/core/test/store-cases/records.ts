import type {
  ApiKeyRecord,
  CallRecord,
  CallSummaryRecord,
  EventRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from '../../src/records.ts'

/** The time of all records: 1 January 2026. */
export const start = Date.UTC(2026, 0, 1)

/** The digits of the organization's WABA number. */
export const wabaDigits = '15550100001'

/** Builds an organization with one number on each channel. */
export const buildOrganization = (overrides: Partial<OrganizationRecord> = {}): OrganizationRecord => ({
  id: 'acme',
  revision: 1,
  callSummaries: 'automatic',
  integrations: [
    { number: '+1 555 0100001', digits: wabaDigits, enabled: true, joinApprovalMode: 'auto_approve' },
  ],
  pstnNumbers: [{ number: '+15550100002', digits: '15550100002' }],
  createdAt: start,
  ...overrides,
})

/** Builds an API key of the organization. */
export const buildApiKey = (overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: 'key_1',
  organizationId: 'acme',
  hash: 'a'.repeat(64),
  label: 'test',
  wabaNumbers: 'all',
  createdAt: start,
  ...overrides,
})

let eventCount = 0

/** Builds an event of the group `g1` with a new id. */
export const buildEvent = (overrides: Partial<EventRecord> = {}): EventRecord => ({
  id: `evt_${++eventCount}`,
  organizationId: 'acme',
  name: 'GROUP_CREATED',
  subject: 'group:g1',
  channel: 'WHATSAPP',
  digits: wabaDigits,
  payload: '{"event":"GROUP_CREATED"}',
  waitsFor: null,
  traceparent: null,
  hasCustomPayload: false,
  occurredAt: start,
  ...overrides,
})

/** Builds a subscription to all events of the WABA number. */
export const buildSubscription = (overrides: Partial<SubscriptionRecord> = {}): SubscriptionRecord => ({
  id: 'sub_1',
  organizationId: 'acme',
  revision: 1,
  channel: 'WHATSAPP',
  number: '+1 555 0100001',
  digits: wabaDigits,
  url: 'https://receiver.example/hook',
  events: 'all',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previousSecret: null,
  headers: {},
  maxAttemptsPerSecond: null,
  disabledReason: null,
  failingSince: null,
  isReported: false,
  createdAt: start,
  updatedAt: start,
  ...overrides,
})

/** Builds the group `g1`. */
export const buildGroup = (overrides: Partial<GroupRecord> = {}): GroupRecord => ({
  organizationId: 'acme',
  clientCustomGroupId: 'g1',
  requestHash: 'b'.repeat(64),
  wabaNumber: '+1 555 0100001',
  digits: wabaDigits,
  subject: 'Launch',
  description: null,
  joinApprovalMode: 'auto_approve',
  inviteLink: null,
  createdAt: start,
  ...overrides,
})

/** Builds a participant of the group. */
export const buildParticipant = (overrides: Partial<ParticipantRecord> = {}): ParticipantRecord => ({
  organizationId: 'acme',
  groupId: 'g1',
  phone: '+49 30 1234',
  digits: '49301234',
  revision: 1,
  state: 'joined',
  changedAt: start,
  ...overrides,
})

/** Builds the call `c1`, which rings. */
export const buildCall = (overrides: Partial<CallRecord> = {}): CallRecord => ({
  organizationId: 'acme',
  callId: 'c1',
  revision: 1,
  state: 'initiated',
  channel: 'WHATSAPP',
  direction: 'INCOMING',
  channelNumber: '+1 555 0100001',
  digits: wabaDigits,
  customerNumber: '+49301234',
  agentNumber: null,
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  publishesEvents: true,
  initiatedAt: start,
  updatedAt: start,
  startedAt: null,
  endedAt: null,
  durationInSeconds: null,
  recorded: null,
  spoken: null,
  ...overrides,
})

/** Builds the summary of the call. */
export const buildSummary = (overrides: Partial<CallSummaryRecord> = {}): CallSummaryRecord => ({
  organizationId: 'acme',
  callId: 'c1',
  summary: { recap: 'They agreed.', keyPoints: ['Price'], nextSteps: ['Send the offer'] },
  generatedBy: 'automatic',
  generatedAt: start,
  ...overrides,
})
