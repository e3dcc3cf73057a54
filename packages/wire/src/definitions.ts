// The definitions that the contract derives its schemas from.

import { callAiSummaryRule } from './call-ai-summary-event.ts'
import { callLifecycleRule, callMissedRule } from './call-events.ts'
import {
  groupCreatedRule,
  participantJoinedRule,
  participantLeftRule,
  participantRemovedRule,
} from './group-events.ts'
import type { Rule } from './rules.ts'
import type { EventName, WebhookEventOf } from './webhook-event.ts'

/** The rules of each event, without its name: the nine in the specification, then three that a live service sends. */
export const eventRules: { readonly [Name in EventName]: Rule<Omit<WebhookEventOf<Name>, 'event'>> } = {
  GROUP_CREATED: groupCreatedRule,
  GROUP_PARTICIPANT_JOINED: participantJoinedRule,
  GROUP_PARTICIPANT_LEFT: participantLeftRule,
  GROUP_PARTICIPANT_REMOVED: participantRemovedRule,
  CALL_INCOMING_INITIATED: callLifecycleRule,
  CALL_OUTGOING_INITIATED: callLifecycleRule,
  CALL_ACCEPTED: callLifecycleRule,
  CALL_ENDED: callLifecycleRule,
  CALL_AI_SUMMARY: callAiSummaryRule,
  CALL_MISSED: callMissedRule,
  CALL_REJECTED: callLifecycleRule,
  CALL_NOT_PICKED: callLifecycleRule,
}

export { callAiSummaryRule, callSummaryRule } from './call-ai-summary-event.ts'
export { callLifecycleRule, callMissedRule } from './call-events.ts'
export {
  dateTime,
  dateTimeOrEmpty,
  formatAlternatives,
  isWithinLength,
  storableText,
  type TextRules,
} from './check.ts'
export { createGroupRequestRule, createGroupResponseRule, limits } from './create-group.ts'
export { issueRule, receivedErrorBodyRule } from './error-body.ts'
export {
  groupCreatedRule,
  participantJoinedRule,
  participantLeftRule,
  participantRemovedRule,
} from './group-events.ts'
export type { Rule } from './rules.ts'
export { summaryRecordRule } from './summary.ts'
export {
  callDirections,
  callStatuses,
  callTypes,
  channels,
  joinApprovalModes,
  triggers,
} from './vocabulary.ts'
