/** An event happened that should not have; the message shows it. */
export class UnexpectedEventError extends Error {
  override readonly name = 'UnexpectedEventError'
  /** For programs; always this. */
  readonly code = 'unexpected_event'
}
