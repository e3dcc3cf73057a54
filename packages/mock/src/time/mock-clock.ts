import type { Duration } from './duration.ts'

/** The clock of a tenant: payload times, what is scheduled, and the times of retries follow it. */
export type MockClock = {
  /** The time in milliseconds since the Unix epoch. */
  now(): number
  /**
   * Moves the clock forward, from one due moment to the next, and resolves when everything that fell due on the way
   * has settled: summaries are saved, deliveries answered. `advance(0)` sends what is due now and waits for that.
   *
   * Not for use inside a webhook handler: the delivery that it handles would be waited for, too.
   *
   * @throws MockUsageError when the duration is none, or the mock runs on the machine's clock.
   * @example
   * await mock.clock.advance('30s')
   */
  advance(duration: Duration): Promise<void>
  /**
   * What a client does between attempts: moves the clock forward without waiting for deliveries. Several sleepers at
   * the same time sleep side by side.
   *
   * @param ms - milliseconds.
   * @param signal - ends the sleep early.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
