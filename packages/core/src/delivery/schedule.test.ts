import { expect, test } from 'vitest'
import { decideResult } from './schedule.ts'

const fresh = { failures: 0, deferrals: 0, deferredMs: 0 }

type Ended = { readonly retryAfterMs?: number; readonly isRefused?: boolean; readonly random?: number }

const decide = (
  status: number | null,
  { retryAfterMs, isRefused = false, random = 0 }: Ended = {},
  delivery: Partial<typeof fresh> = {},
) => {
  const attempt = { startedAt: 0, durationMs: 1, url: '', status, error: null, responseBody: null }
  const result = decideResult({ ...fresh, ...delivery }, { attempt, retryAfterMs, isRefused }, () => random)
  expect(result.attempt).toBe(attempt)
  const { attempt: _, ...verdict } = result
  return verdict
}

const retry = (delayMs: number, releasesLane = false) => ({ kind: 'retry', delayMs, releasesLane })

test.each([
  [200, { kind: 'delivered' }],
  [299, { kind: 'delivered' }],
  [199, retry(5_000)],
  [300, retry(5_000)],
  [null, retry(5_000)],
  [409, retry(5_000)],
  [410, { kind: 'gone' }],
])('a status of %j without Retry-After results in %j', (status, verdict) => {
  expect(decide(status)).toEqual(verdict)
})

test('an event that was refused is neither a success nor a failure', () => {
  expect(decide(null, { isRefused: true })).toEqual({ kind: 'refused' })
})

test.each([
  [429, 60_000, 60_000],
  [503, 60_000, 60_000],
  [503, 1_000, 5_000],
  [429, 2 * 86_400_000, 86_400_000],
  [500, 60_000, 5_000],
])('a %i that requests a pause of %i ms is retried after %i ms', (status, retryAfterMs, delayMs) => {
  expect(decide(status, { retryAfterMs })).toEqual(retry(delayMs))
})

test('a pause is up to a tenth longer at random', () => {
  expect(decide(500, { random: 0.5 })).toEqual(retry(5_250))
  expect(decide(500, { random: 0.5 }, { failures: 1 })).toEqual(retry(315_000))
})

test('the third failure releases the lane, and the tenth is the last', () => {
  expect(decide(500, {}, { failures: 1 })).toEqual(retry(300_000))
  expect(decide(500, {}, { failures: 2 })).toEqual(retry(1_800_000, true))
  expect(decide(500, {}, { failures: 8 })).toEqual(retry(86_400_000, true))
  expect(decide(500, {}, { failures: 9 })).toEqual({ kind: 'exhausted' })
})

test.each([
  [6_000, {}, 6_000],
  [0, {}, 1_000],
  [0, { deferrals: 19 }, 1_000],
  [6_000, { deferredMs: 899_000 }, 1_000],
  [6_000, { deferrals: 20 }, undefined],
  [6_000, { deferredMs: 899_001 }, undefined],
])('a 409 that requests %i ms, after %j, is deferred for %j ms', (retryAfterMs, delivery, delayMs) => {
  const expected = delayMs === undefined ? retry(5_000) : { kind: 'deferred', delayMs }
  expect(decide(409, { retryAfterMs }, delivery)).toEqual(expected)
})
