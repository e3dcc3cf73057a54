import type { EventName, Issue } from '@wabakit/contract'

/** A known event does not fit its contract, and no `onDrift` handler is there to take it. */
export class WebhookDriftError extends Error {
  override readonly name = 'WebhookDriftError'
  /** For programs that look at `code` on every error. */
  readonly code = 'drifted'
  /** Which event it says it is. */
  readonly eventName: EventName
  /** What does not fit, by field. */
  readonly issues: readonly Issue[]

  constructor(eventName: EventName, issues: readonly Issue[]) {
    super(
      `A ${eventName} does not fit its contract: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    )
    this.eventName = eventName
    this.issues = issues
  }
}
