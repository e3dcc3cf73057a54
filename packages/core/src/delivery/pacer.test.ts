import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPacer } from './pacer.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Starts as many jobs as are allowed, after the duration of a claim. */
const startAll = (claimMs: number, clock = { now: Date.now }) => {
  const seen = { started: 0 }
  const start = (): void => {
    setTimeout(() => {
      const count = pacer.countAllowed()
      seen.started += count
      pacer.count(count)
    }, claimMs)
  }
  const pacer = createPacer({ burst: 4, pauseMs: 2.5, clock, onAllowed: start })
  start()
  return { seen, start }
}

test.each([0, 3, 8])('400 jobs start in a second when each claim takes %i ms', async (claimMs) => {
  const { seen } = startAll(claimMs)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.started).toBeGreaterThanOrEqual(390)
  expect(seen.started).toBeLessThanOrEqual(410)
})

test('idle time is not caught up on', async () => {
  const clock = { now: Date.now }
  const pacer = createPacer({ burst: 4, pauseMs: 2.5, clock, onAllowed: () => {} })
  await vi.advanceTimersByTimeAsync(60_000)
  let started = 0
  for (let ms = 0; ms < 100; ms++) {
    const count = pacer.countAllowed()
    started += count
    pacer.count(count)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(started).toBeLessThanOrEqual(48)
})

test('jobs start at the same pace after the clock was moved back', async () => {
  let offset = 0
  const { seen } = startAll(0, { now: () => Date.now() - offset })
  await vi.advanceTimersByTimeAsync(100)
  offset = 3_600_000
  const before = seen.started
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.started - before).toBeGreaterThanOrEqual(390)
})
