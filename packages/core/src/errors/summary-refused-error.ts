const sentences = {
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
    super(sentences[reason])
    this.reason = reason
  }
}
