import type { Random } from '../values/ids.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Pauses between the attempts of a delivery, in milliseconds: one attempt more than there are pauses. */
export const retryPauses: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** Share of a pause that chance may add to it, so that what failed together is not tried again together. */
export const jitter = 0.1

/** How many failures of the first in a lane hold the others back. */
export const holdingAttempts = 3

/** Longest pause that an endpoint can ask for by `Retry-After`, in milliseconds. */
export const longestRetryAfterMs = 24 * hour

/** How long every attempt may fail before a subscription is disabled, in milliseconds. */
export const failingLimitMs = 5 * 24 * hour

/**
 * The pause after a failed attempt, in milliseconds; `undefined` when it was the last.
 *
 * @param failures - failed attempts so far, this one included.
 * @param random - where the jitter comes from.
 */
export const pauseAfter = (failures: number, random: Random): number | undefined => {
  const pause = retryPauses[failures - 1]
  return pause === undefined ? undefined : Math.round(pause * (1 + jitter * random()))
}
