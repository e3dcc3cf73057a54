import type { DeliveryRecord } from '../records.ts'
import type { AttemptVerdict } from '../store.ts'
import type { Random } from '../values/ids.ts'
import type { EndedAttempt } from './attempt.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Pauses after failed attempts, in milliseconds. After the last pause, there is one more attempt. */
const retryPauses: readonly number[] = [
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

/**
 * Maximum random extension of a pause, as a fraction of the pause. It spreads the retries of deliveries that failed at
 * the same time.
 */
const jitter = 0.1

/**
 * Number of failures after which a delivery no longer blocks its lane, apart from events that wait for it (`waitsFor`).
 */
export const blockingFailures = 3

/** Maximum pause that an endpoint can request with `Retry-After`, in milliseconds. */
const maxRetryAfterMs = 24 * hour

/** Maximum number of deferrals per delivery, and maximum total of their pauses, in milliseconds. */
const maxDeferrals = 20
const maxDeferredMs = 15 * minute

/** Time without a successful attempt after which a failing subscription is disabled, in milliseconds. */
export const failingLimitMs = 5 * 24 * hour

/**
 * Decides the verdict on an attempt. When the attempt is settled, `storage/decide-settlement.ts` decides what becomes
 * of the delivery, and `storage/decide-health.ts` of its subscription. The store writes both by the rules of
 * `settleDeliveries` (`core/src/delivery-queue.ts`). After a 410, it also skips the subscription's other deliveries (on
 * PostgreSQL 1,000 of them, and `continue_removals` the others):
 *
 * | Response | Verdict | Delivery | Subscription |
 * |---|---|---|---|
 * | 200 to 299 | `delivered` | `delivered` | no longer failing |
 * | 410 | `gone` | `skipped` | disabled: its other unfinished deliveries, and new ones, are `skipped`, too |
 * | 409 with `Retry-After`, within {@link maxDeferrals} and {@link maxDeferredMs} | `deferred` | due after that pause, at least a second and at most the rest of {@link maxDeferredMs} | unchanged |
 * | other, or none | `retry` | due after the next pause, or later if a 429 or 503 requests it | failing |
 * | other, or none, after the last pause | `exhausted` | `exhausted` | failing |
 * | a custom payload, not sent because the endpoint is on another machine | `refused` | `skipped` | unchanged |
 *
 * In profiles other than `reference`, a store around the store ends or repeats deliveries as those services do
 * (`live/live-retries.ts`; `mock`: `src/measured/measured-repeats.ts`).
 *
 * A deferral uses up no attempt, because it leaves the number of failures unchanged, which selects the next pause. If
 * an enabled subscription has been failing for {@link failingLimitMs}, the next failed attempt disables it as a 410
 * does.
 */
export const decideResult = (
  { failures: before, deferrals, deferredMs }: Pick<DeliveryRecord, 'failures' | 'deferrals' | 'deferredMs'>,
  { attempt, retryAfterMs, isRefused }: Omit<EndedAttempt, 'shortage'>,
  random: Random,
): AttemptVerdict => {
  const { status } = attempt
  if (isRefused) return { kind: 'refused', attempt }
  if (status !== null && status >= 200 && status <= 299) return { kind: 'delivered', attempt }
  if (status === 410) return { kind: 'gone', attempt }
  const leftMs = maxDeferredMs - deferredMs
  if (status === 409 && retryAfterMs !== undefined && deferrals < maxDeferrals && leftMs >= second) {
    return { kind: 'deferred', attempt, delayMs: Math.min(Math.max(retryAfterMs, second), leftMs) }
  }
  const pause = retryPauses[before]
  if (pause === undefined) return { kind: 'exhausted', attempt }
  const pauseMs = Math.round(pause * (1 + jitter * random()))
  const requestedMs = status === 429 || status === 503 ? Math.min(retryAfterMs ?? 0, maxRetryAfterMs) : 0
  return {
    kind: 'retry',
    attempt,
    delayMs: Math.max(pauseMs, requestedMs),
    releasesLane: before + 1 >= blockingFailures,
  }
}
