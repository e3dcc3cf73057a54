/** Why a call's summary cannot be kept. */
export type SummaryRefusal = 'no_recording' | 'nothing_said' | 'automatic_summaries_off'

const sentences: Record<SummaryRefusal, string> = {
  no_recording: 'The call ended without a recording, so no summary can be generated.',
  nothing_said: 'Nothing was said in the call, so no summary can be generated.',
  automatic_summaries_off:
    "The organization's call summaries are manual: pass generatedBy 'team_member', or set callSummaries to 'automatic'.",
}

/** This call cannot have this summary; nothing was saved and nothing was emitted. */
export class SummaryRefusedError extends Error {
  override readonly name = 'SummaryRefusedError'
  /** For programs; always this. */
  readonly code = 'summary_refused'
  /** Why. */
  readonly reason: SummaryRefusal

  /** @param reason - why. */
  constructor(reason: SummaryRefusal) {
    super(sentences[reason])
    this.reason = reason
  }
}
