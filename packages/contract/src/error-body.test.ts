import { expect, test } from 'vitest'
import { errorExample } from './documents/errors.ts'
import { ErrorBody, ReceivedErrorBody } from './error-body.ts'
import { errorCodes, isErrorCode } from './error-codes.ts'
import { reasonPhrases } from './reason-phrases.ts'

test('an error body has statusCode, error, message and a code of the closed list; issues when fields are at fault', () => {
  const body = errorExample('invalid_subject')
  expect(ErrorBody.parse(body)).toEqual(body)
  expect(body.issues).toHaveLength(1)
  expect(ErrorBody.safeParse({ ...body, code: 'made_up' }).success).toBe(false)
  for (const field of ['statusCode', 'error', 'message', 'code']) {
    expect(ErrorBody.safeParse({ ...body, [field]: undefined }).success, field).toBe(false)
  }
})

test('the statuses are those that the interface knows', () => {
  const statuses = new Set<number>(Object.values(errorCodes))
  expect([...statuses]).toEqual([202, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503])
  expect(Object.keys(reasonPhrases)).toEqual([...statuses].map(String))
})

test('codes are closed: nothing else is one, not even what every object has', () => {
  for (const code of Object.keys(errorCodes)) expect(isErrorCode(code)).toBe(true)
  for (const code of ['made_up', '', 'toString', '__proto__', undefined, null, 400])
    expect(isErrorCode(code)).toBe(false)
})

test.each([
  { statusCode: 401, message: 'Invalid public api key', error: 'Unauthorized' },
  { statusCode: 401, message: 'Invalid public api key' },
  { statusCode: 400, message: ['subject should not be empty', 'wabaNumber must be a string'] },
  { code: 'ERR_OF_ANOTHER_LIST', addedLater: 1 },
  {},
])('a received error body survives as it is: %j', (body) => {
  expect(ReceivedErrorBody.parse(body)).toEqual(body)
})

test('fields of a received error body that do not fit are dropped, and are no error', () => {
  const body = {
    statusCode: '401',
    error: 1,
    message: { en: 'no' },
    code: null,
    issues: [{ path: 1 }],
    kept: true,
  }
  expect(ReceivedErrorBody.parse(body)).toEqual({ kept: true })
})

test.each(['<html>', null, [], 502])('a received error body is an object, not %o', (value) => {
  expect(ReceivedErrorBody.safeParse(value).success).toBe(false)
})
