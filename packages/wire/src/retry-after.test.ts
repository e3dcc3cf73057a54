import { expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1)

it.each([
  ['120', 120_000],
  ['0', 0],
  [' 7 ', 7_000],
  ['99999999999999999999', Number.MAX_SAFE_INTEGER],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Thursday, 01-Jan-26 00:00:09 GMT', 9_000],
  ['Thu, 01 Jan 2015 00:00:00 GMT', 0],
])('reads %s', (value, ms) => {
  expect(parseRetryAfter(value, now)).toBe(ms)
})

it.each([
  [undefined],
  [null],
  [''],
  ['-5'],
  ['1.5'],
  [`${'2026'.repeat(2)}x`],
  ['soon'],
  ['NaN'],
  ['Infinity'],
  ['5, 6'],
])('ignores %j', (value) => {
  expect(parseRetryAfter(value, now)).toBeUndefined()
})
