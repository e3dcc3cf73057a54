import { expect, test } from 'vitest'
import { createScale, fitAttempts, listTicks, placeAttempts, placeFlags, spread } from './scale.ts'

const second = 1_000
const day = 86_400 * second
const times = [0, 20, 5 * second, day]

test('a compressed axis makes both milliseconds and a day visible, in order', () => {
  const { gaps, place } = createScale(times, 'compressed')
  const widths = gaps.map(({ left, right }) => right - left)
  expect(widths.every((width) => width > 0.05)).toBe(true)
  expect(widths).toEqual(widths.toSorted((left, right) => left - right))
  expect(times.map(place)).toEqual(times.map(place).toSorted((left, right) => left - right))
})

test('a linear axis gives every second the same space', () => {
  const { place } = createScale(times, 'linear')
  const perMs = (place(day) - place(0)) / day
  expect((place(5 * second) - place(0)) / (5 * second)).toBeCloseTo(perMs, 12)
})

test.each(['compressed', 'linear'] as const)(
  'a %s axis contains all times, and a single time is in its middle',
  (mode) => {
    const { place } = createScale([10, 20], mode)
    expect([place(-day), place(day)].every((at) => at > 0 && at < 1)).toBe(true)
    expect(place(15)).toBeCloseTo(0.5)
    expect(createScale([7], mode).place(7)).toBe(0.5)
  },
)

test('axis labels do not overlap, and include the length of wide gaps', () => {
  const ticks = listTicks(createScale(times, 'compressed'), 1_000)
  const moments = ticks.filter(({ gapMs }) => gapMs === undefined).map(({ x }) => x)
  expect(moments.slice(1).every((x, index) => x - (moments[index] ?? 0) >= 104)).toBe(true)
  expect(ticks.map(({ gapMs }) => gapMs)).toContain(day - 5 * second)
  expect(listTicks(createScale(times, 'compressed'), 120).length).toBe(1)
})

test('flags at the same time are on separate lines, within the axis', () => {
  const flag = { at: 5, text: 'CALL_INCOMING_INITIATED' }
  const placed = placeFlags([flag, flag, flag], { place: () => 1, width: 400, nowX: 390 })
  expect(placed.map(({ line }) => line)).toEqual([0, 1, 2])
  expect(placed.map(({ x }) => x)).toEqual([197, 197, 197])
})

test('attempts become narrower rather than the axis wider, while each has room for its status', () => {
  const fit = (count: number) => fitAttempts(count, { axis: 342, easy: 44 })
  expect([2, 7, 8, 10, 12, 40].map(fit)).toEqual([44, 44, 40, 32, 26, 26])
})

test('attempts do not overlap, and stay on the axis while there is room', () => {
  const attempts = [0, 1, 90, 95].map((x) => ({ x, width: 20 }))
  expect(spread(attempts, 100)).toEqual([0, 22, 58, 80])
  expect(spread([{ x: 30, width: 20 }], 100)).toEqual([30])
})

test('attempts are before the line of the current time, and the next one is after it', () => {
  const attempts = [50, 58].map((x) => ({ x, width: 20, least: 20 }))
  const next = { x: 62, width: 20 }
  const places = [16, 38].map((x) => ({ x, width: 20 }))
  expect(placeAttempts(attempts, next, { nowX: 60, width: 100 })).toEqual({ places, nextX: 62 })
  expect(placeAttempts(attempts, { x: 95, width: 20 }, { nowX: 60, width: 100 }).nextX).toBe(75)
})

test('attempts are narrower than they lasted rather than cover the line of the current time', () => {
  const attempts = [
    { x: 0, width: 30, least: 20 },
    { x: 30, width: 30, least: 20 },
  ]
  const place = (nowX: number) => placeAttempts(attempts, undefined, { nowX, width: 100 }).places
  expect(place(64)).toEqual([
    { x: 0, width: 30 },
    { x: 32, width: 30 },
  ])
  expect(place(63)).toEqual([
    { x: 0, width: 20 },
    { x: 30, width: 20 },
  ])
})

test('attempts without room before the line of the current time do not overlap the next one', () => {
  const attempts = [1, 2, 3].map((x) => ({ x, width: 20, least: 20 }))
  const { places, nextX } = placeAttempts(attempts, { x: 98, width: 20 }, { nowX: 10, width: 100 })
  expect([...places.map(({ x }) => x), nextX]).toEqual([1, 23, 45, 78])
})
