import { type Duration, durationRule, toMilliseconds } from '@wabakit/core/simulation'
import { MockUsageError } from '../errors.ts'

/**
 * Converts a duration to milliseconds.
 *
 * @throws MockUsageError if it is not a duration.
 */
export const parseDuration = (duration: Duration): number => {
  const milliseconds = toMilliseconds(duration)
  if (milliseconds !== undefined) return milliseconds
  throw new MockUsageError(`A duration ${durationRule}, not ${JSON.stringify(duration) ?? String(duration)}.`)
}
