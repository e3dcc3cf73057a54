/** A handler did not finish in its time. It may still be running; `context.signal` told it to stop. */
export class WebhookHandlerTimeoutError extends Error {
  override readonly name = 'WebhookHandlerTimeoutError'
  /** For programs that look at `code` on every error. */
  readonly code = 'handler_timeout'
  /** The time that it had, in milliseconds. */
  readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`The handler did not finish within ${timeoutMs} ms.`)
    this.timeoutMs = timeoutMs
  }
}
