// The definitions that the contract derives its schemas from.

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
