import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPacer } from './pacer.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Begins as many jobs as there is room for, after the time that a claim takes. */
const beginAll = (claimMs: number, clock = { now: Date.now }) => {
  const seen = { begun: 0 }
  const begin = (): void => {
    setTimeout(() => {
      const count = pacer.room()
      seen.begun += count
      pacer.begin(count)
    }, claimMs)
  }
  const pacer = createPacer({ atOnce: 4, msEach: 2.5, clock, onRoom: begin })
  begin()
  return { seen, begin }
}

test.each([0, 3, 8])('400 jobs begin in a second when each claim takes %i ms', async (claimMs) => {
  const { seen } = beginAll(claimMs)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.begun).toBeGreaterThanOrEqual(390)
  expect(seen.begun).toBeLessThanOrEqual(410)
})

test('a pause with nothing to begin is not made up for', async () => {
  const clock = { now: Date.now }
  const pacer = createPacer({ atOnce: 4, msEach: 2.5, clock, onRoom: () => {} })
  await vi.advanceTimersByTimeAsync(60_000)
  let begun = 0
  for (let ms = 0; ms < 100; ms++) {
    const count = pacer.room()
    begun += count
    pacer.begin(count)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(begun).toBeLessThanOrEqual(48)
})

test('jobs begin at the same pace after the clock was moved back', async () => {
  let offset = 0
  const { seen } = beginAll(0, { now: () => Date.now() - offset })
  await vi.advanceTimersByTimeAsync(100)
  offset = 3_600_000
  const before = seen.begun
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.begun - before).toBeGreaterThanOrEqual(390)
})
