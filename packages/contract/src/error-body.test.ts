import { STATUS_CODES } from 'node:http'
import { errorCodes, isErrorCode } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { buildErrorExample } from './documents/errors.ts'
import { ErrorBody, ReceivedErrorBody, reasonPhrases } from './error-body.ts'

test('an error body has statusCode, error, message, a documented code, and optionally issues', () => {
  const body = buildErrorExample('invalid_subject')
  expect(ErrorBody.parse(body)).toEqual(body)
  expect(body.issues).toHaveLength(1)
  expect(ErrorBody.safeParse({ ...body, code: 'made_up' }).success).toBe(false)
  for (const field of ['statusCode', 'error', 'message', 'code']) {
    expect(ErrorBody.safeParse({ ...body, [field]: undefined }).success, field).toBe(false)
  }
})

test('every status has error codes and a reason phrase', () => {
  const statuses = new Set<number>(Object.values(errorCodes))
  expect([...statuses]).toEqual([202, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503])
  expect(Object.keys(reasonPhrases)).toEqual([...statuses].map(String))
})

test('the reason phrases are those of RFC 9110, which renamed 413 and 422', () => {
  const { 413: tooLarge, 422: unprocessable, ...others } = reasonPhrases
  expect([tooLarge, unprocessable]).toEqual(['Content Too Large', 'Unprocessable Content'])
  expect(STATUS_CODES).toMatchObject(others)
})

test('isErrorCode accepts only the listed codes, not the names of inherited properties', () => {
  expect(isErrorCode(['rate_limited'])).toBe(false)
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
])('a received error body is kept unchanged: %j', (body) => {
  expect(ReceivedErrorBody.parse(body)).toEqual(body)
})

test('invalid fields of a received error body are dropped', () => {
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

test.each(['<html>', null, [], 502])('a received error body must be an object, not %o', (value) => {
  expect(ReceivedErrorBody.safeParse(value).success).toBe(false)
})
