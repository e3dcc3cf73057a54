import { expect, test } from 'vitest'
import { createChartScale } from './chart-scale.ts'

const size = { width: 660, height: 160 }

test('the first point is at the left end of the axis, and the last at the right end', () => {
  const { x, left, right } = createChartScale({ count: 60, most: 10 }, size)
  expect([x(0), x(59)]).toEqual([left, right])
})

test('no value is above the highest label, also if there is none', () => {
  for (const most of [0, 0.4, 1, 7, 12_345]) {
    const { y, bottom, yTicks } = createChartScale({ count: 60, most }, size)
    expect(y(0)).toBe(bottom)
    for (const value of [most, ...yTicks]) expect(y(value)).toBeGreaterThanOrEqual(0)
    expect(yTicks.at(-1)).toBeGreaterThanOrEqual(most)
    expect(yTicks.every(Number.isInteger)).toBe(true)
  }
})

test.each([320, 660, 1800])('labels of the time axis do not overlap at %i px', (width) => {
  for (const count of [60, 144, 168]) {
    const { x, xTicks } = createChartScale({ count, most: 1 }, { width, height: 160 })
    expect(xTicks[0]).toBe(0)
    expect(xTicks.slice(1).every((index, at) => x(index) - x(xTicks[at] ?? 0) >= 88)).toBe(true)
  }
})

test('finds the point under the pointer, also beside the chart', () => {
  const { x, findIndex } = createChartScale({ count: 60, most: 1 }, size)
  expect([-50, x(17) + 2, 5_000].map(findIndex)).toEqual([0, 17, 59])
  expect(createChartScale({ count: 1, most: 1 }, size).findIndex(300)).toBe(0)
})
