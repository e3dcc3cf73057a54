import type { Duration } from '@wabakit/core/simulation'

/** The clock of a tenant. Times in payloads, scheduled summaries and retries follow it. */
export type MockClock = {
  /** Returns the time as Unix time in milliseconds. */
  now(): number
  /**
   * Moves the clock forward from one due time to the next, and resolves when all work that became due is done:
   * summaries are saved, and deliveries have a response or an error. `advance(0)` delivers what is due now.
   *
   * Do not call it in a webhook handler: it would wait for the handler's own delivery.
   *
   * @throws MockUsageError if the duration is invalid, or the mock follows the machine's clock or is closed.
   * @example
   * await mock.clock.advance('30s')
   */
  advance(duration: Duration): Promise<void>
  /**
   * Moves the clock forward without waiting for deliveries, as `mock.client()` does between attempts. If the mock follows
   * the machine's clock, waits instead. Concurrent sleeps overlap.
   *
   * @param ms - milliseconds.
   * @param signal - ends the sleep early, which then rejects with the signal's reason.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
