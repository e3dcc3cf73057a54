// Generated from the schemas by accepts-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { type EventRules, matching, nonEmpty, nullish, number, object, oneOf, optional, text, texts } from './event-rule.ts'
import type { EventName } from './webhook-event.ts'

const groupCreatedRules = () => ({
  groupId: nonEmpty,
  groupName: nullish(text),
  inviteLink: nullish(text),
  groupCreatedAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
})

const groupParticipantJoinedRules = () => ({
  groupId: nonEmpty,
  groupName: nullish(text),
  customerPhone: nullish(text),
  participantJoinedAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
})

const groupParticipantLeftRules = () => ({
  groupId: nonEmpty,
  groupName: nullish(text),
  customerPhone: nullish(text),
  participantLeftAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
})

const groupParticipantRemovedRules = () => ({
  groupId: nonEmpty,
  groupName: nullish(text),
  customerPhone: nullish(text),
  participantRemovedAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
})

const callIncomingInitiatedRules = () => ({
  callId: nonEmpty,
  channel: nullish(oneOf('PSTN', 'WHATSAPP', '')),
  callDirection: nullish(oneOf('INCOMING', 'OUTGOING', '')),
  callStatus: nullish(text),
  durationInSeconds: nullish(number),
  callStartedAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
  callEndedAt: nullish(matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')),
  from: nullish(text),
  to: nullish(text),
  channelNumber: nullish(text),
  customerNumber: nullish(text),
  agentNumber: nullish(text),
  callType: nullish(oneOf('AI_BOT', 'AGENT', '')),
  triggeredVia: nullish(oneOf('INBOUND', 'CAMPAIGN', 'API', 'UI', '')),
  wabaNumber: nullish(text),
  customerName: nullish(text),
  failedReason: nullish(text),
  recordingUrl: nullish(text),
})

const callAiSummaryRules = () => ({
  channel: oneOf('PSTN', 'WHATSAPP'),
  callId: nonEmpty,
  callDirection: oneOf('INCOMING', 'OUTGOING'),
  callStatus: text,
  durationInSeconds: number,
  callStartedAt: matching(dateTime, 'an ISO 8601 date-time'),
  callEndedAt: matching(dateTime, 'an ISO 8601 date-time'),
  from: text,
  to: text,
  channelNumber: text,
  customerNumber: text,
  agentNumber: optional(nonEmpty),
  callType: oneOf('AI_BOT', 'AGENT'),
  triggeredVia: oneOf('INBOUND', 'CAMPAIGN', 'API', 'UI'),
  summary: object({ recap: text, keyPoints: texts, nextSteps: texts }),
})

/** Rules of the fields of each event, except `event`. They find the same issues as its schema, without zod. */
export const eventRules: { readonly [Name in EventName]: () => EventRules } = {
  GROUP_CREATED: groupCreatedRules,
  GROUP_PARTICIPANT_JOINED: groupParticipantJoinedRules,
  GROUP_PARTICIPANT_LEFT: groupParticipantLeftRules,
  GROUP_PARTICIPANT_REMOVED: groupParticipantRemovedRules,
  CALL_INCOMING_INITIATED: callIncomingInitiatedRules,
  CALL_OUTGOING_INITIATED: callIncomingInitiatedRules,
  CALL_ACCEPTED: callIncomingInitiatedRules,
  CALL_ENDED: callIncomingInitiatedRules,
  CALL_AI_SUMMARY: callAiSummaryRules,
  CALL_MISSED: callIncomingInitiatedRules,
  CALL_REJECTED: callIncomingInitiatedRules,
  CALL_NOT_PICKED: callIncomingInitiatedRules,
}
