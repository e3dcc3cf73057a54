import type { AttemptVerdict } from '../store.ts'
import { type FailureCause, findFailureCause } from './failure-cause.ts'

/**
 * Counts by name. A missing name means 0.
 * - `events`: published events, except those about the health of subscriptions. Only an organization has them.
 * - `rotated`, `disabled`: rotations of a subscription's secret, and times that it was disabled.
 * - `delivered`, `failed`, `deferred`: attempts, by result.
 * - `exhausted`: deliveries whose last attempt failed.
 * - `cause:timeout` and so on: failed attempts, by likely cause.
 * - `ms:250` and so on: attempts, by duration (see `latencyBounds`).
 */
export type Counts = { readonly [name: string]: number }

/** Mutable counts, to which events and attempts are added. */
export type GrowingCounts = { [name: string]: number }

/**
 * The upper bounds of the buckets that attempts are counted in, in milliseconds. An attempt belongs to the
 * first bucket whose bound its duration does not exceed; the last bucket also takes everything longer.
 */
export const latencyBounds = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000,
] as const

export const nameLatencyCount = (bound: number): string => `ms:${bound}`
export const nameCauseCount = (cause: FailureCause): string => `cause:${cause}`

// Built once: building the string for each attempt would cost more than counting the attempt.
const latencyNames = latencyBounds.map(nameLatencyCount)

const findLatencyName = (durationMs: number): string => {
  let index = 0
  while (index < latencyBounds.length - 1 && durationMs > (latencyBounds[index] ?? 0)) index++
  return latencyNames[index] ?? ''
}

export const increase = (counts: GrowingCounts, name: string, by = 1): void => {
  counts[name] = (counts[name] ?? 0) + by
}

export const addCounts = (total: GrowingCounts, counts: Counts): void => {
  for (const name in counts) increase(total, name, counts[name])
}

/** Counts a settled attempt. An attempt with the verdict `refused` sent nothing, and is not counted. */
export const countAttempt = (counts: GrowingCounts, { kind, attempt }: AttemptVerdict): void => {
  if (kind === 'refused') return
  increase(counts, findLatencyName(attempt.durationMs))
  if (kind === 'delivered' || kind === 'deferred') increase(counts, kind)
  else {
    increase(counts, 'failed')
    increase(counts, nameCauseCount(findFailureCause(attempt)))
    if (kind === 'exhausted') increase(counts, kind)
  }
}
