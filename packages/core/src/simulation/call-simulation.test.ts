import { expect, test } from 'vitest'
import { toMilliseconds } from './call-simulation.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['1.25s', 1_250],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1.5d', 129_600_000],
  [0, 0],
  [1_500, 1_500],
])('%j is a duration', (value, expected) => {
  expect(toMilliseconds(value)).toBe(expected)
})

test.each([
  '',
  '5',
  's',
  '5 s',
  'x5s',
  '5sx',
  '5s\n',
  '-5s',
  '.5s',
  '5.s',
  '1.xs',
  '5y',
  -1,
  Number.NaN,
  Infinity,
  null,
  {},
])('%j is not a duration', (value) => {
  expect(toMilliseconds(value)).toBeUndefined()
})
