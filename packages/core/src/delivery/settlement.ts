import type { DeliveryRecord } from '../records.ts'
import type { SettlementResult } from '../store.ts'
import type { Random } from '../values/ids.ts'
import type { AttemptReport } from './attempt.ts'
import { holdingAttempts, longestRetryAfterMs, pauseAfter } from './schedule.ts'

const mayAskToWait = (status: number | null): boolean => status === 429 || status === 503

/**
 * What an attempt means for its delivery: 200 to 299 is a success, 410 ends the subscription, everything else is
 * tried again after the pause of the schedule, or later if a 429 or 503 asks for it, but never more than 24 hours
 * later on its word.
 */
export const settle = (
  { failures: before }: Pick<DeliveryRecord, 'failures'>,
  { attempt, retryAfterMs }: AttemptReport,
  random: Random,
): SettlementResult => {
  const { status } = attempt
  if (status !== null && status >= 200 && status <= 299) return { kind: 'delivered', attempt }
  if (status === 410) return { kind: 'gone', attempt }
  const failures = before + 1
  const pause = pauseAfter(failures, random)
  if (pause === undefined) return { kind: 'exhausted', attempt }
  const asked = mayAskToWait(status) ? Math.min(retryAfterMs, longestRetryAfterMs) : 0
  return {
    kind: 'retry',
    attempt,
    afterMs: Math.max(pause, asked),
    releasesLane: failures >= holdingAttempts,
  }
}
