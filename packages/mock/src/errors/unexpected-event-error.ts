/** Thrown by `expectNoEvent` when a matching event has happened. The message shows the event. */
export class UnexpectedEventError extends Error {
  override readonly name = 'UnexpectedEventError'
  /** For programs. */
  readonly code = 'unexpected_event'
}
