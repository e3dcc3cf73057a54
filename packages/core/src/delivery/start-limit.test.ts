import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStartLimit } from './start-limit.ts'

/** Makes each start a little later than allowed. Returns the times. */
const runLate = (perSecond: number, delays: readonly number[]): number[] => {
  const limit = createStartLimit()
  return delays.map((delay) => {
    const now = Math.max(0, limit.nextAt()) + delay
    expect(limit.start(perSecond, now)).toBe(true)
    return now
  })
}

test('no span of ⌈n⌉ / n seconds has more than ⌈n⌉ starts, however late timers are', () => {
  const delays = fc.array(fc.double({ min: 0, max: 300, noNaN: true }), {
    minLength: 1,
    maxLength: 100,
    size: 'max',
  })
  fc.assert(
    fc.property(fc.constantFrom(0.1, 0.5, 1, 1.5, 3, 10, 100, 1_000), delays, (perSecond, late) => {
      const starts = runLate(perSecond, late)
      const count = Math.ceil(perSecond)
      for (const [index, at] of starts.entries()) {
        const before = starts[index - count] ?? -Infinity
        expect(at - before).toBeGreaterThanOrEqual((count / perSecond) * 1_000 - 1e-6)
      }
    }),
  )
})

test.each([0.1, 1, 10, 100, 1_000])(
  '%f starts per second are reached, although timers are a millisecond late',
  (n) => {
    const starts = runLate(n, Array(Math.ceil(n * 2) + 10).fill(1))
    const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1_000
    expect((starts.length - 1) / seconds).toBeGreaterThan(0.95 * n)
  },
)

test('an attempt does not start too early, and deliveries that are being loaded count', () => {
  const limit = createStartLimit()
  expect(limit.start(2, 0)).toBe(true)
  expect(limit.start(2, 100)).toBe(false)
  expect(limit.start(2, 500)).toBe(true)
  expect(limit.nextAt()).toBe(1_000)
  limit.pick()
  expect(limit.nextAt()).toBe(Infinity)
  limit.endLoading()
  expect(limit.nextAt()).toBe(1_000)
})

test('after a possible change to the limit, a start is tried, and earlier starts still count', () => {
  const limit = createStartLimit()
  for (const at of [0, 448, 1_000]) expect(limit.start(2, at)).toBe(true)
  limit.allowNext()
  expect(limit.nextAt()).toBe(-Infinity)
  expect(limit.start(1, 1_500)).toBe(false)
  expect(limit.nextAt()).toBe(2_000)
  expect([limit.isOver(100_999), limit.isOver(101_000)]).toEqual([false, true])
})
