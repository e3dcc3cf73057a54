import { expect, test } from 'vitest'
import { createChartScale } from './chart-scale.ts'

const minute = 60_000
const toTimes = (count: number, stepMs = minute) =>
  Array.from(
    { length: count },
    (_, index) => Math.floor(Date.UTC(2026, 0, 5, 8, 52) / stepMs + index) * stepMs,
  )
const size = { width: 660, height: 160 }

test('the first point is at the left end of the axis, and the last at the right end', () => {
  const { x, left, right } = createChartScale({ times: toTimes(60), most: 10 }, size)
  expect([x(0), x(59)]).toEqual([left, right])
})

test('no value is above the highest label, also if there is none', () => {
  for (const most of [0, 0.4, 1, 7, 12_345]) {
    const { y, bottom, yTicks } = createChartScale({ times: toTimes(60), most }, size)
    expect(y(0)).toBe(bottom)
    for (const value of [most, ...yTicks]) expect(y(value)).toBeGreaterThanOrEqual(0)
    expect(yTicks.at(-1)).toBeGreaterThanOrEqual(most)
    expect(yTicks.every(Number.isInteger)).toBe(true)
  }
})

test.each([320, 660, 1800])(
  'labels of the time axis are at round times, apart, and not cut off, at %i px',
  (width) => {
    for (const [count, stepMs] of [
      [60, minute],
      [144, 10 * minute],
      [168, 60 * minute],
      [21, minute],
    ] as const) {
      const times = toTimes(count, stepMs)
      const { x, xTicks } = createChartScale({ times, most: 1 }, { width, height: 160 })
      const labels = xTicks.map((index) => x(index))
      expect(labels.length).toBeGreaterThan(0)
      expect(labels.slice(1).every((place, at) => place - (labels[at] ?? 0) >= 88)).toBe(true)
      expect(labels.every((place) => place >= 46 && place <= width - 46)).toBe(true)
      expect(xTicks.map((index) => new Date(times[index] ?? 0).getUTCMinutes() % 5)).toEqual(
        labels.map(() => 0),
      )
    }
  },
)

test('finds the point under the pointer, also beside the chart', () => {
  const { x, findIndex } = createChartScale({ times: toTimes(60), most: 1 }, size)
  expect([-50, x(17) + 2, 5_000].map(findIndex)).toEqual([0, 17, 59])
  expect(createChartScale({ times: toTimes(1), most: 1 }, size).findIndex(300)).toBe(0)
})
