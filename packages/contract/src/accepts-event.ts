// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import type { EventName, WebhookEventOf } from './webhook-event.ts'

type Fields = Record<string, unknown>

// The schemas drop a key named __proto__.
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

const groupCreatedFields = (value: Fields): boolean =>
  typeof value.groupId === 'string' && value.groupId !== '' &&
  (value.groupName == null || typeof value.groupName === 'string') &&
  (value.orgId == null || typeof value.orgId === 'string') &&
  (value.integrationId == null || typeof value.integrationId === 'string') &&
  (value.inviteLink == null || typeof value.inviteLink === 'string') &&
  (value.groupCreatedAt == null || typeof value.groupCreatedAt === 'string' && dateTimeOrEmpty.test(value.groupCreatedAt))

const groupParticipantJoinedFields = (value: Fields): boolean =>
  typeof value.groupId === 'string' && value.groupId !== '' &&
  (value.groupName == null || typeof value.groupName === 'string') &&
  (value.orgId == null || typeof value.orgId === 'string') &&
  (value.integrationId == null || typeof value.integrationId === 'string') &&
  (value.customerPhone == null || typeof value.customerPhone === 'string') &&
  (value.participantJoinedAt == null || typeof value.participantJoinedAt === 'string' && dateTimeOrEmpty.test(value.participantJoinedAt))

const groupParticipantLeftFields = (value: Fields): boolean =>
  typeof value.groupId === 'string' && value.groupId !== '' &&
  (value.groupName == null || typeof value.groupName === 'string') &&
  (value.orgId == null || typeof value.orgId === 'string') &&
  (value.integrationId == null || typeof value.integrationId === 'string') &&
  (value.customerPhone == null || typeof value.customerPhone === 'string') &&
  (value.participantLeftAt == null || typeof value.participantLeftAt === 'string' && dateTimeOrEmpty.test(value.participantLeftAt))

const groupParticipantRemovedFields = (value: Fields): boolean =>
  typeof value.groupId === 'string' && value.groupId !== '' &&
  (value.groupName == null || typeof value.groupName === 'string') &&
  (value.orgId == null || typeof value.orgId === 'string') &&
  (value.integrationId == null || typeof value.integrationId === 'string') &&
  (value.customerPhone == null || typeof value.customerPhone === 'string') &&
  (value.participantRemovedAt == null || typeof value.participantRemovedAt === 'string' && dateTimeOrEmpty.test(value.participantRemovedAt))

const callIncomingInitiatedFields = (value: Fields): boolean =>
  typeof value.callId === 'string' && value.callId !== '' &&
  (value.channel == null || (value.channel === 'PSTN' || value.channel === 'WHATSAPP' || value.channel === '')) &&
  (value.callDirection == null || (value.callDirection === 'INCOMING' || value.callDirection === 'OUTGOING' || value.callDirection === '')) &&
  (value.callStatus == null || typeof value.callStatus === 'string') &&
  (value.durationInSeconds == null || Number.isFinite(value.durationInSeconds)) &&
  (value.callStartedAt == null || typeof value.callStartedAt === 'string' && dateTimeOrEmpty.test(value.callStartedAt)) &&
  (value.callEndedAt == null || typeof value.callEndedAt === 'string' && dateTimeOrEmpty.test(value.callEndedAt)) &&
  (value.from == null || typeof value.from === 'string') &&
  (value.to == null || typeof value.to === 'string') &&
  (value.channelNumber == null || typeof value.channelNumber === 'string') &&
  (value.customerNumber == null || typeof value.customerNumber === 'string') &&
  (value.agentNumber == null || typeof value.agentNumber === 'string') &&
  (value.callType == null || (value.callType === 'AI_BOT' || value.callType === 'AGENT' || value.callType === '')) &&
  (value.triggeredVia == null || (value.triggeredVia === 'INBOUND' || value.triggeredVia === 'CAMPAIGN' || value.triggeredVia === 'API' || value.triggeredVia === 'UI' || value.triggeredVia === '')) &&
  (value.wabaNumber == null || typeof value.wabaNumber === 'string') &&
  (value.customerName == null || typeof value.customerName === 'string') &&
  (value.customerId == null || typeof value.customerId === 'string') &&
  (value.chatId == null || typeof value.chatId === 'string') &&
  (value.chatMessageId == null || typeof value.chatMessageId === 'string') &&
  (value.pickedBy == null || typeof value.pickedBy === 'string') &&
  (value.rejectedBy == null || typeof value.rejectedBy === 'string') &&
  (value.endedBy == null || typeof value.endedBy === 'string') &&
  (value.deviceId == null || typeof value.deviceId === 'string') &&
  (value.failedReason == null || typeof value.failedReason === 'string') &&
  (value.recordingUrl == null || typeof value.recordingUrl === 'string')

const callAiSummaryFields = (value: Fields): boolean =>
  (value.channel === 'PSTN' || value.channel === 'WHATSAPP') &&
  typeof value.callId === 'string' && value.callId !== '' &&
  (value.callDirection === 'INCOMING' || value.callDirection === 'OUTGOING') &&
  typeof value.callStatus === 'string' &&
  Number.isFinite(value.durationInSeconds) &&
  typeof value.callStartedAt === 'string' && dateTime.test(value.callStartedAt) &&
  typeof value.callEndedAt === 'string' && dateTime.test(value.callEndedAt) &&
  typeof value.from === 'string' &&
  typeof value.to === 'string' &&
  typeof value.channelNumber === 'string' &&
  typeof value.customerNumber === 'string' &&
  (value.agentNumber === undefined || typeof value.agentNumber === 'string' && value.agentNumber !== '') &&
  (value.callType === 'AI_BOT' || value.callType === 'AGENT') &&
  (value.triggeredVia === 'INBOUND' || value.triggeredVia === 'CAMPAIGN' || value.triggeredVia === 'API' || value.triggeredVia === 'UI') &&
  isObject(value.summary) && typeof value.summary.recap === 'string' &&
  isTexts(value.summary.keyPoints) &&
  isTexts(value.summary.nextSteps)

const callMissedFields = (value: Fields): boolean =>
  callIncomingInitiatedFields(value) &&
  (value.isNewCaller == null || typeof value.isNewCaller === 'boolean') &&
  (value.isChatAssigned == null || typeof value.isChatAssigned === 'boolean')

/** Guards for events, by name. Each accepts what the event's schema returns unchanged, several times faster. */
export const acceptsEvent: { readonly [Name in EventName]: (value: unknown) => value is WebhookEventOf<Name> } = {
  GROUP_CREATED: (value): value is WebhookEventOf<'GROUP_CREATED'> => isObject(value) && value.event === 'GROUP_CREATED' && groupCreatedFields(value),
  GROUP_PARTICIPANT_JOINED: (value): value is WebhookEventOf<'GROUP_PARTICIPANT_JOINED'> => isObject(value) && value.event === 'GROUP_PARTICIPANT_JOINED' && groupParticipantJoinedFields(value),
  GROUP_PARTICIPANT_LEFT: (value): value is WebhookEventOf<'GROUP_PARTICIPANT_LEFT'> => isObject(value) && value.event === 'GROUP_PARTICIPANT_LEFT' && groupParticipantLeftFields(value),
  GROUP_PARTICIPANT_REMOVED: (value): value is WebhookEventOf<'GROUP_PARTICIPANT_REMOVED'> => isObject(value) && value.event === 'GROUP_PARTICIPANT_REMOVED' && groupParticipantRemovedFields(value),
  CALL_INCOMING_INITIATED: (value): value is WebhookEventOf<'CALL_INCOMING_INITIATED'> => isObject(value) && value.event === 'CALL_INCOMING_INITIATED' && callIncomingInitiatedFields(value),
  CALL_OUTGOING_INITIATED: (value): value is WebhookEventOf<'CALL_OUTGOING_INITIATED'> => isObject(value) && value.event === 'CALL_OUTGOING_INITIATED' && callIncomingInitiatedFields(value),
  CALL_ACCEPTED: (value): value is WebhookEventOf<'CALL_ACCEPTED'> => isObject(value) && value.event === 'CALL_ACCEPTED' && callIncomingInitiatedFields(value),
  CALL_ENDED: (value): value is WebhookEventOf<'CALL_ENDED'> => isObject(value) && value.event === 'CALL_ENDED' && callIncomingInitiatedFields(value),
  CALL_AI_SUMMARY: (value): value is WebhookEventOf<'CALL_AI_SUMMARY'> => isObject(value) && value.event === 'CALL_AI_SUMMARY' && callAiSummaryFields(value),
  CALL_MISSED: (value): value is WebhookEventOf<'CALL_MISSED'> => isObject(value) && value.event === 'CALL_MISSED' && callMissedFields(value),
  CALL_REJECTED: (value): value is WebhookEventOf<'CALL_REJECTED'> => isObject(value) && value.event === 'CALL_REJECTED' && callIncomingInitiatedFields(value),
  CALL_NOT_PICKED: (value): value is WebhookEventOf<'CALL_NOT_PICKED'> => isObject(value) && value.event === 'CALL_NOT_PICKED' && callIncomingInitiatedFields(value),
}
