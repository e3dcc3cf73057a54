import { expect, test } from 'vitest'
import { validateReceivedErrorBody } from './checks.ts'
import { isBoolean, type Report, storable } from './field-checks.ts'

test.each([
  ['not a string', 7],
  ['too short', ''],
  ['too long', 'abc'],
  ['not storable', 'a\0'],
])('a check without a report rejects text that is %s', (_, value) => {
  expect(storable({ min: 1, max: 2 })(value)).toBe(false)
  expect(storable({ min: 1, max: 2 })('ab')).toBe(true)
})

test('the issue of a value that is not a boolean says so', () => {
  const report: Report = { issues: [], leftOut: [] }
  expect(isBoolean('yes', 'isNewCaller', report)).toBe(false)
  expect(report.issues).toEqual([{ path: 'isNewCaller', message: 'isNewCaller must be a boolean' }])
})

test('a list with a key named __proto__ in an item is dropped, and nothing else', () => {
  const body = JSON.parse('{"code":"no","issues":[{"path":"","message":"no","__proto__":{"polluted":true}}]}')
  expect(validateReceivedErrorBody(body)).toStrictEqual({ success: true, data: { code: 'no' } })
})
