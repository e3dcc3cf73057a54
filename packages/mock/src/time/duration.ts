import { type Duration, toMilliseconds } from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import { MockUsageError } from '../errors.ts'

const rule = "must be milliseconds, 0 or more, or a string such as '500ms', '30s', '5m', '2h' or '1d'"

export const durationSchema = z.custom<Duration>((value) => toMilliseconds(value) !== undefined, {
  error: rule,
})

/**
 * Converts a duration to milliseconds.
 *
 * @throws MockUsageError if it is not a duration.
 */
export const parseDuration = (duration: Duration): number => {
  const milliseconds = toMilliseconds(duration)
  if (milliseconds !== undefined) return milliseconds
  throw new MockUsageError(`A duration ${rule}, not ${JSON.stringify(duration) ?? String(duration)}.`)
}
