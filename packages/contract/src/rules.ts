// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type { BodyName } from './bodies.ts'
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { array, boolean, either, leaveOut, nullish, number, object, oneOf, optional, type Rule, text } from './rule.ts'
import { storableText } from './text-rules.ts'
import type { EventName } from './webhook-event.ts'

const groupCreatedRules = () => ({
  groupId: text({ min: 1 }),
  groupName: nullish(text()),
  orgId: optional(either(nullish(text()), leaveOut)),
  integrationId: optional(either(nullish(text()), leaveOut)),
  inviteLink: nullish(text()),
  groupCreatedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
})

const groupParticipantJoinedRules = () => ({
  groupId: text({ min: 1 }),
  groupName: nullish(text()),
  orgId: optional(either(nullish(text()), leaveOut)),
  integrationId: optional(either(nullish(text()), leaveOut)),
  customerPhone: nullish(text()),
  participantJoinedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
})

const groupParticipantLeftRules = () => ({
  groupId: text({ min: 1 }),
  groupName: nullish(text()),
  orgId: optional(either(nullish(text()), leaveOut)),
  integrationId: optional(either(nullish(text()), leaveOut)),
  customerPhone: nullish(text()),
  participantLeftAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
})

const groupParticipantRemovedRules = () => ({
  groupId: text({ min: 1 }),
  groupName: nullish(text()),
  orgId: optional(either(nullish(text()), leaveOut)),
  integrationId: optional(either(nullish(text()), leaveOut)),
  customerPhone: nullish(text()),
  participantRemovedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
})

const callIncomingInitiatedRules = () => ({
  callId: text({ min: 1 }),
  channel: nullish(oneOf('PSTN', 'WHATSAPP', '')),
  callDirection: nullish(oneOf('INCOMING', 'OUTGOING', '')),
  callStatus: nullish(text()),
  durationInSeconds: nullish(number),
  callStartedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
  callEndedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
  from: nullish(text()),
  to: nullish(text()),
  channelNumber: nullish(text()),
  customerNumber: nullish(text()),
  agentNumber: nullish(text()),
  callType: nullish(oneOf('AI_BOT', 'AGENT', '')),
  triggeredVia: nullish(oneOf('INBOUND', 'CAMPAIGN', 'API', 'UI', '')),
  wabaNumber: nullish(text()),
  customerName: nullish(text()),
  customerId: optional(either(nullish(text()), leaveOut)),
  chatId: optional(either(nullish(text()), leaveOut)),
  chatMessageId: optional(either(nullish(text()), leaveOut)),
  pickedBy: optional(either(nullish(text()), leaveOut)),
  rejectedBy: optional(either(nullish(text()), leaveOut)),
  endedBy: optional(either(nullish(text()), leaveOut)),
  deviceId: optional(either(nullish(text()), leaveOut)),
  failedReason: nullish(text()),
  recordingUrl: nullish(text()),
})

const callAiSummaryRules = () => ({
  channel: oneOf('PSTN', 'WHATSAPP'),
  callId: text({ min: 1 }),
  callDirection: oneOf('INCOMING', 'OUTGOING'),
  callStatus: text(),
  durationInSeconds: number,
  callStartedAt: text({ pattern: dateTime, form: 'an ISO 8601 date-time' }),
  callEndedAt: text({ pattern: dateTime, form: 'an ISO 8601 date-time' }),
  from: text(),
  to: text(),
  channelNumber: text(),
  customerNumber: text(),
  agentNumber: optional(text({ min: 1 })),
  callType: oneOf('AI_BOT', 'AGENT'),
  triggeredVia: oneOf('INBOUND', 'CAMPAIGN', 'API', 'UI'),
  summary: object({ recap: text(), keyPoints: array(text()), nextSteps: array(text()) }),
})

const callMissedRules = () => ({
  ...callIncomingInitiatedRules(),
  isNewCaller: optional(either(nullish(boolean), leaveOut)),
  isChatAssigned: optional(either(nullish(boolean), leaveOut)),
})

/** Rules of each event. They parse it like its schema, without zod. */
export const eventRules: { readonly [Name in EventName]: () => Rule } = {
  GROUP_CREATED: () => object({ event: oneOf('GROUP_CREATED'), ...groupCreatedRules() }),
  GROUP_PARTICIPANT_JOINED: () => object({ event: oneOf('GROUP_PARTICIPANT_JOINED'), ...groupParticipantJoinedRules() }),
  GROUP_PARTICIPANT_LEFT: () => object({ event: oneOf('GROUP_PARTICIPANT_LEFT'), ...groupParticipantLeftRules() }),
  GROUP_PARTICIPANT_REMOVED: () => object({ event: oneOf('GROUP_PARTICIPANT_REMOVED'), ...groupParticipantRemovedRules() }),
  CALL_INCOMING_INITIATED: () => object({ event: oneOf('CALL_INCOMING_INITIATED'), ...callIncomingInitiatedRules() }),
  CALL_OUTGOING_INITIATED: () => object({ event: oneOf('CALL_OUTGOING_INITIATED'), ...callIncomingInitiatedRules() }),
  CALL_ACCEPTED: () => object({ event: oneOf('CALL_ACCEPTED'), ...callIncomingInitiatedRules() }),
  CALL_ENDED: () => object({ event: oneOf('CALL_ENDED'), ...callIncomingInitiatedRules() }),
  CALL_AI_SUMMARY: () => object({ event: oneOf('CALL_AI_SUMMARY'), ...callAiSummaryRules() }),
  CALL_MISSED: () => object({ event: oneOf('CALL_MISSED'), ...callMissedRules() }),
  CALL_REJECTED: () => object({ event: oneOf('CALL_REJECTED'), ...callIncomingInitiatedRules() }),
  CALL_NOT_PICKED: () => object({ event: oneOf('CALL_NOT_PICKED'), ...callIncomingInitiatedRules() }),
}

/** Rules of each body. They parse it like its schema, without zod. */
export const bodyRules: { readonly [Name in BodyName]: () => Rule } = {
  CreateGroupRequest: () => object({
    wabaNumber: text({ min: 1, pattern: storableText, form: 'text without a NUL character or a lone surrogate' }),
    subject: text({ min: 1, max: 128, pattern: storableText, form: 'text without a NUL character or a lone surrogate' }),
    description: optional(text({ max: 2048, pattern: storableText, form: 'text without a NUL character or a lone surrogate' })),
    joinApprovalMode: optional(oneOf('auto_approve', 'approval_required')),
    groupId: optional(text({ min: 1, max: 50, pattern: storableText, form: 'text without a NUL character or a lone surrogate' })),
  }),
  CreateGroupResponse: () => object({
    success: oneOf(true),
    groupId: text({ min: 1 }),
  }),
  SummaryRecord: () => object({
    callId: text({ min: 1 }),
    channel: nullish(oneOf('PSTN', 'WHATSAPP', '')),
    callDirection: nullish(oneOf('INCOMING', 'OUTGOING', '')),
    callStatus: nullish(text()),
    durationInSeconds: nullish(number),
    callStartedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
    callEndedAt: nullish(text({ pattern: dateTimeOrEmpty, form: 'an ISO 8601 date-time, or empty when unset' })),
    from: nullish(text()),
    to: nullish(text()),
    channelNumber: nullish(text()),
    customerNumber: nullish(text()),
    agentNumber: nullish(text()),
    callType: nullish(oneOf('AI_BOT', 'AGENT', '')),
    triggeredVia: nullish(oneOf('INBOUND', 'CAMPAIGN', 'API', 'UI', '')),
    summary: object({ recap: text(), keyPoints: array(text()), nextSteps: array(text()) }),
  }),
  ReceivedErrorBody: () => object({
    statusCode: optional(either(number, leaveOut)),
    error: optional(either(text(), leaveOut)),
    message: optional(either(either(text(), array(text())), leaveOut)),
    code: optional(either(text(), leaveOut)),
    issues: optional(either(array(object({ path: text(), message: text() })), leaveOut)),
  }),
}
