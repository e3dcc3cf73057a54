import { MockUsageError } from '../errors/mock-usage-error.ts'

/** How long to wait. */
export type WaitOptions = {
  /**
   * Milliseconds of real time.
   * @default 1_000
   */
  readonly timeoutMs?: number | undefined
}

/** @throws MockUsageError when the time is none. */
export const timeoutOf = (what: string, { timeoutMs = 1_000 }: WaitOptions = {}): number => {
  if (typeof timeoutMs === 'number' && timeoutMs >= 0) return timeoutMs
  throw new MockUsageError(`${what}: timeoutMs must be a number of milliseconds, 0 or more.`)
}
