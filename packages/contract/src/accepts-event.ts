// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import type { EventName } from './webhook-event.ts'

type Fields = Record<string, unknown>

/** Checks whether a value is an object without a key named __proto__, which the schemas drop. */
export const isObject = (value: unknown): value is Fields =>
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

/**
 * Conditions on the fields of each event, except `event`. Each accepts what the event's schema returns unchanged, several
 * times faster.
 */
export const acceptsFields: { readonly [Name in EventName]: (value: Fields) => boolean } = {
  GROUP_CREATED: groupCreatedFields,
  GROUP_PARTICIPANT_JOINED: groupParticipantJoinedFields,
  GROUP_PARTICIPANT_LEFT: groupParticipantLeftFields,
  GROUP_PARTICIPANT_REMOVED: groupParticipantRemovedFields,
  CALL_INCOMING_INITIATED: callIncomingInitiatedFields,
  CALL_OUTGOING_INITIATED: callIncomingInitiatedFields,
  CALL_ACCEPTED: callIncomingInitiatedFields,
  CALL_ENDED: callIncomingInitiatedFields,
  CALL_AI_SUMMARY: callAiSummaryFields,
  CALL_MISSED: callMissedFields,
  CALL_REJECTED: callIncomingInitiatedFields,
  CALL_NOT_PICKED: callIncomingInitiatedFields,
}
