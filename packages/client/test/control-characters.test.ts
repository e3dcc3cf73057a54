import { expect, it } from 'vitest'
import { clientOf, group, rejectionOf } from './fixtures.ts'
import { json, startService } from './loopback.ts'

const injected = 'a\n[error] forged\r\u001b[2J\u0007\u007f\u009b1A\u202e\u2028b'
const isUnsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

it.each([
  ['its sentence', 400, { message: injected }],
  ['its sentences', 422, { message: [injected, injected] }],
  ['its code', 400, { message: 'no', code: injected }],
  ['the status as text', 403, { error: injected }],
  ['a body outside the contract', 200, { success: injected, groupId: 7 }],
])('a message repeats %s without control characters', async (_what, status, body) => {
  const service = await startService((response) => json(response, status, body))

  const error = await rejectionOf(clientOf(service.url).groups.create(group))

  expect(String(error)).not.toMatch(isUnsafe)
})

it.each([
  ['x-request-id', 400],
  ['location', 302],
])('a message repeats the header %s without control characters', async (name, status) => {
  const service = await startService((response) => {
    response.setHeader(name, 'a\u009b1A\u0085b')
    json(response, status, { message: 'no' })
  })

  const error = await rejectionOf(clientOf(service.url).groups.create(group))

  expect(String(error)).toContain('\\u009b1A')
  expect(String(error)).not.toMatch(isUnsafe)
})
