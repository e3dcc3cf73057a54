// Generated from the definitions by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import type { ReceivedErrorBody } from './error-body.ts'
import { array, type Check, createValidator, type Fields, isBoolean, isDateTime, isDateTimeOrEmpty, isNonEmpty, isNumber, isObject, isText, nullable, nullish, object, oneOf, optional, type Report, storable, unchecked, unset } from './field-checks.ts'
import type { SummaryRecord } from './summary.ts'
import type { Validation } from './validation.ts'
import type { EventName } from './webhook-event.ts'

const isNonEmptyOrNull: Check = /* @__PURE__ */ nullable(isNonEmpty)
const isTextOrNullOrAbsent: Check = /* @__PURE__ */ nullish(isText)
const isTextOrNullOrAbsentOrLeftOut: Check = /* @__PURE__ */ unchecked(/* @__PURE__ */ nullish(isText))
const isDateTimeOrEmptyOrNullOrAbsent: Check = /* @__PURE__ */ nullish(isDateTimeOrEmpty)
const isNumberOrNullOrAbsent: Check = /* @__PURE__ */ nullish(isNumber)
const isTextOrUnset: Check = /* @__PURE__ */ unset(isText)
const areTexts: Check = /* @__PURE__ */ array(isText)
const isBooleanOrNullOrAbsentOrLeftOut: Check = /* @__PURE__ */ unchecked(/* @__PURE__ */ nullish(isBoolean))

const checkGroupCreated = (value: Fields, report: Report): void => {
  isNonEmptyOrNull(value.groupId, 'groupId', report)
  isTextOrNullOrAbsent(value.groupName, 'groupName', report)
  isTextOrNullOrAbsentOrLeftOut(value.orgId, 'orgId', report)
  isTextOrNullOrAbsentOrLeftOut(value.integrationId, 'integrationId', report)
  isTextOrNullOrAbsent(value.inviteLink, 'inviteLink', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.groupCreatedAt, 'groupCreatedAt', report)
}

const checkGroupParticipantJoined = (value: Fields, report: Report): void => {
  isNonEmptyOrNull(value.groupId, 'groupId', report)
  isTextOrNullOrAbsent(value.groupName, 'groupName', report)
  isTextOrNullOrAbsentOrLeftOut(value.orgId, 'orgId', report)
  isTextOrNullOrAbsentOrLeftOut(value.integrationId, 'integrationId', report)
  isTextOrNullOrAbsent(value.customerPhone, 'customerPhone', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.participantJoinedAt, 'participantJoinedAt', report)
}

const checkGroupParticipantLeft = (value: Fields, report: Report): void => {
  isNonEmptyOrNull(value.groupId, 'groupId', report)
  isTextOrNullOrAbsent(value.groupName, 'groupName', report)
  isTextOrNullOrAbsentOrLeftOut(value.orgId, 'orgId', report)
  isTextOrNullOrAbsentOrLeftOut(value.integrationId, 'integrationId', report)
  isTextOrNullOrAbsent(value.customerPhone, 'customerPhone', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.participantLeftAt, 'participantLeftAt', report)
}

const checkGroupParticipantRemoved = (value: Fields, report: Report): void => {
  isNonEmptyOrNull(value.groupId, 'groupId', report)
  isTextOrNullOrAbsent(value.groupName, 'groupName', report)
  isTextOrNullOrAbsentOrLeftOut(value.orgId, 'orgId', report)
  isTextOrNullOrAbsentOrLeftOut(value.integrationId, 'integrationId', report)
  isTextOrNullOrAbsent(value.customerPhone, 'customerPhone', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.participantRemovedAt, 'participantRemovedAt', report)
}

const checkCallIncomingInitiated = (value: Fields, report: Report): void => {
  isNonEmpty(value.callId, 'callId', report)
  isTextOrNullOrAbsent(value.channel, 'channel', report)
  isTextOrNullOrAbsent(value.callDirection, 'callDirection', report)
  isTextOrNullOrAbsent(value.callStatus, 'callStatus', report)
  isNumberOrNullOrAbsent(value.durationInSeconds, 'durationInSeconds', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.callStartedAt, 'callStartedAt', report)
  isDateTimeOrEmptyOrNullOrAbsent(value.callEndedAt, 'callEndedAt', report)
  isTextOrNullOrAbsent(value.from, 'from', report)
  isTextOrNullOrAbsent(value.to, 'to', report)
  isTextOrNullOrAbsent(value.channelNumber, 'channelNumber', report)
  isTextOrNullOrAbsent(value.customerNumber, 'customerNumber', report)
  isTextOrUnset(value.agentNumber, 'agentNumber', report)
  isTextOrNullOrAbsent(value.callType, 'callType', report)
  isTextOrNullOrAbsent(value.triggeredVia, 'triggeredVia', report)
  isTextOrNullOrAbsent(value.wabaNumber, 'wabaNumber', report)
  isTextOrNullOrAbsent(value.customerName, 'customerName', report)
  isTextOrNullOrAbsentOrLeftOut(value.customerId, 'customerId', report)
  isTextOrNullOrAbsentOrLeftOut(value.chatId, 'chatId', report)
  isTextOrNullOrAbsentOrLeftOut(value.chatMessageId, 'chatMessageId', report)
  isTextOrNullOrAbsentOrLeftOut(value.pickedBy, 'pickedBy', report)
  isTextOrNullOrAbsentOrLeftOut(value.rejectedBy, 'rejectedBy', report)
  isTextOrNullOrAbsentOrLeftOut(value.endedBy, 'endedBy', report)
  isTextOrNullOrAbsentOrLeftOut(value.deviceId, 'deviceId', report)
  isTextOrNullOrAbsent(value.failedReason, 'failedReason', report)
  isTextOrNullOrAbsent(value.recordingUrl, 'recordingUrl', report)
}

const checkCallAiSummary = (value: Fields, report: Report): void => {
  isNonEmpty(value.channel, 'channel', report)
  isNonEmpty(value.callId, 'callId', report)
  isNonEmpty(value.callDirection, 'callDirection', report)
  isNonEmpty(value.callStatus, 'callStatus', report)
  isNumber(value.durationInSeconds, 'durationInSeconds', report)
  isDateTime(value.callStartedAt, 'callStartedAt', report)
  isDateTime(value.callEndedAt, 'callEndedAt', report)
  isText(value.from, 'from', report)
  isText(value.to, 'to', report)
  isText(value.channelNumber, 'channelNumber', report)
  isText(value.customerNumber, 'customerNumber', report)
  isTextOrUnset(value.agentNumber, 'agentNumber', report)
  isNonEmpty(value.callType, 'callType', report)
  isNonEmpty(value.triggeredVia, 'triggeredVia', report)
  if (isObject(value.summary, 'summary', report)) {
    isText(value.summary.recap, 'summary.recap', report)
    areTexts(value.summary.keyPoints, 'summary.keyPoints', report)
    areTexts(value.summary.nextSteps, 'summary.nextSteps', report)
  }
}

const checkCallMissed = (value: Fields, report: Report): void => {
  checkCallIncomingInitiated(value, report)
  isBooleanOrNullOrAbsentOrLeftOut(value.isNewCaller, 'isNewCaller', report)
  isBooleanOrNullOrAbsentOrLeftOut(value.isChatAssigned, 'isChatAssigned', report)
}

/** Checks every field of an event except `event`, exactly as its schema does. */
export const eventChecks: { readonly [Name in EventName]: (value: Fields, report: Report) => void } = {
  GROUP_CREATED: checkGroupCreated,
  GROUP_PARTICIPANT_JOINED: checkGroupParticipantJoined,
  GROUP_PARTICIPANT_LEFT: checkGroupParticipantLeft,
  GROUP_PARTICIPANT_REMOVED: checkGroupParticipantRemoved,
  CALL_INCOMING_INITIATED: checkCallIncomingInitiated,
  CALL_OUTGOING_INITIATED: checkCallIncomingInitiated,
  CALL_ACCEPTED: checkCallIncomingInitiated,
  CALL_ENDED: checkCallIncomingInitiated,
  CALL_AI_SUMMARY: checkCallAiSummary,
  CALL_MISSED: checkCallMissed,
  CALL_REJECTED: checkCallIncomingInitiated,
  CALL_NOT_PICKED: checkCallIncomingInitiated,
}

/** The field with the time of each group event. No other event has it, so it identifies an event without a name. */
export const timestampFields = [
  ['groupCreatedAt', 'GROUP_CREATED'],
  ['participantJoinedAt', 'GROUP_PARTICIPANT_JOINED'],
  ['participantLeftAt', 'GROUP_PARTICIPANT_LEFT'],
  ['participantRemovedAt', 'GROUP_PARTICIPANT_REMOVED'],
] as const

/** Validates a {@link CreateGroupRequest} as its schema does, but without zod. */
export const validateCreateGroupRequest: (value: unknown) => Validation<CreateGroupRequest> = /* @__PURE__ */ createValidator({
  wabaNumber: /* @__PURE__ */ storable({ min: 1 }),
  subject: /* @__PURE__ */ storable({ min: 1, max: 128 }),
  description: /* @__PURE__ */ optional(/* @__PURE__ */ storable({ max: 2048 })),
  joinApprovalMode: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf('auto_approve', 'approval_required')),
  groupId: /* @__PURE__ */ optional(/* @__PURE__ */ storable({ min: 1, max: 50 })),
})

/** Validates a {@link CreateGroupResponse} as its schema does, but without zod. */
export const validateCreateGroupResponse: (value: unknown) => Validation<CreateGroupResponse> = /* @__PURE__ */ createValidator({
  success: /* @__PURE__ */ oneOf(true),
  groupId: isNonEmpty,
})

/** Validates a {@link SummaryRecord} as its schema does, but without zod. */
export const validateSummaryRecord: (value: unknown) => Validation<SummaryRecord> = /* @__PURE__ */ createValidator({
  callId: isNonEmpty,
  channel: /* @__PURE__ */ nullish(isText),
  callDirection: /* @__PURE__ */ nullish(isText),
  callStatus: /* @__PURE__ */ nullish(isText),
  durationInSeconds: /* @__PURE__ */ nullish(isNumber),
  callStartedAt: /* @__PURE__ */ nullish(isText),
  callEndedAt: /* @__PURE__ */ nullish(isText),
  from: /* @__PURE__ */ nullish(isText),
  to: /* @__PURE__ */ nullish(isText),
  channelNumber: /* @__PURE__ */ nullish(isText),
  customerNumber: /* @__PURE__ */ nullish(isText),
  agentNumber: /* @__PURE__ */ unset(isText),
  callType: /* @__PURE__ */ nullish(isText),
  triggeredVia: /* @__PURE__ */ nullish(isText),
  summary: /* @__PURE__ */ object({ recap: isText, keyPoints: /* @__PURE__ */ array(isText), nextSteps: /* @__PURE__ */ array(isText) }),
})

/** Validates a {@link ReceivedErrorBody} as its schema does, but without zod. */
export const validateReceivedErrorBody: (value: unknown) => Validation<ReceivedErrorBody> = /* @__PURE__ */ createValidator({
  statusCode: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(isNumber)),
  error: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(isText)),
  message: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(isText, /* @__PURE__ */ array(isText))),
  code: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(isText)),
  issues: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(/* @__PURE__ */ array(/* @__PURE__ */ object({ path: isText, message: isText })))),
})
