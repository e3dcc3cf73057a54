import type { Backlog } from '@wabakit/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBacklogReading } from './backlog-gauges.ts'

const backlog: Backlog = {
  waiting: 1,
  due: 2,
  later: 3,
  oldestDueMs: 5,
  failingSubscriptions: 6,
  behindSubscriptions: 8,
  disabledSubscriptions: 7,
}

let now: number
beforeEach(() => {
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** A reading that takes this time, in milliseconds, and counts its measurements. */
const createReading = (durationMs: number) => {
  const measure = vi.fn(async () => {
    now += durationMs
    return backlog
  })
  return { measure, read: createBacklogReading(measure) }
}

test('measures once for concurrent callers', async () => {
  const { measure, read } = createReading(10)
  expect(await Promise.all([read(), read(), read()])).toEqual([backlog, backlog, backlog])
  expect(measure).toHaveBeenCalledTimes(1)
})

test.each([
  ['a second', 1, 1_000],
  ['50 times its duration', 100, 5_000],
  ['a minute at most', 10_000, 60_000],
])('reuses a reading for %s after one that took %i ms', async (_, durationMs, reusedMs) => {
  const { measure, read } = createReading(durationMs)
  await read()
  now += reusedMs - 1
  await read()
  expect(measure).toHaveBeenCalledTimes(1)
  now += 1
  await read()
  expect(measure).toHaveBeenCalledTimes(2)
})

test('returns nothing while the store cannot be reached, and a reading after a second', async () => {
  let isAway = true
  const read = createBacklogReading(async () => {
    if (isAway) throw new Error('away')
    return backlog
  })
  expect(await read()).toBeUndefined()
  isAway = false
  now += 1_000
  expect(await read()).toEqual(backlog)
})
