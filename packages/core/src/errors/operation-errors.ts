import type { Issue } from '@wabakit/contract'

/** Formats an issue as a sentence that names the field once. */
export const formatIssue = ({ path, message }: Issue): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`

/** The input to an operation is invalid. Nothing was changed. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code = 'invalid_input'
  /** The invalid fields, and why they are invalid. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(formatIssue).join('; '))
    this.issues = issues
  }
}

/** An action is not possible in the current state of a call or a participant. Nothing was changed. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError'
  readonly code = 'illegal_transition'
  readonly kind: 'call' | 'participant'
  readonly state: string
  readonly action: string

  constructor(step: {
    readonly kind: 'call' | 'participant'
    readonly state: string
    readonly action: string
    readonly legal: readonly string[]
  }) {
    const legal =
      step.legal.length === 0 ? 'no further action is possible' : `possible: ${step.legal.join(', ')}`
    super(`Cannot ${step.action} a ${step.kind} that is ${step.state} (${legal}).`)
    this.kind = step.kind
    this.state = step.state
    this.action = step.action
  }
}

const summaryRefusals = {
  no_recording: 'The call ended without a recording, so no summary can be generated.',
  nothing_said: 'Nothing was said in the call, so no summary can be generated.',
  automatic_summaries_off:
    "The organization's call summaries are manual: pass generatedBy 'team_member', or set callSummaries to 'automatic'.",
} as const

/** A call cannot have the summary. Nothing was saved and no event was published. */
export class SummaryRefusedError extends Error {
  override readonly name = 'SummaryRefusedError'
  readonly code = 'summary_refused'
  readonly reason: 'no_recording' | 'nothing_said' | 'automatic_summaries_off'

  constructor(reason: SummaryRefusedError['reason']) {
    super(summaryRefusals[reason])
    this.reason = reason
  }
}
