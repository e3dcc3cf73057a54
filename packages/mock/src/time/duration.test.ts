import { expect, test } from 'vitest'
import { parseDuration } from './duration.ts'

test.each([
  [0, 0],
  [250, 250],
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1.5d', 129_600_000],
] as const)('%s is %i milliseconds', (duration, milliseconds) => {
  expect(parseDuration(duration)).toBe(milliseconds)
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '', '30', '30 s', '-1s', 's', '1e3s', 'soon', null, {}])(
  'rejects %o as a duration, and lists the valid forms',
  (duration) => {
    expect(() => parseDuration(duration as never)).toThrow(/milliseconds, 0 or more, or a string such as/)
  },
)
