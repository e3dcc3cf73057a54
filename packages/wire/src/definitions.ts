// The definitions that the contract derives its schemas from. A new event in a file that is named here needs no line.

export { callAiSummaryRule, callSummaryRule } from './call-ai-summary-event.ts'
export * from './call-events.ts'
export { createGroupRequestRule, createGroupResponseRule, limits } from './create-group.ts'
export { issueRule, receivedErrorBodyRule } from './error-body.ts'
export {
  dateTime,
  dateTimeOrEmpty,
  formatAlternatives,
  isWithinLength,
  storableText,
  type TextRules,
} from './field-checks.ts'
export * from './group-events.ts'
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
