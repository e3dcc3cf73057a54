import { expect, it } from 'vitest'
import { createTestClient, getRejection, group } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const injected = 'a\n[error] forged\r\u001b[2J\u0007\u007f\u009b1A\u202e\u2028b'
const isUnsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

it.each([
  ['its message', 400, { message: injected }],
  ['its messages', 422, { message: [injected, injected] }],
  ['its code', 400, { message: 'no', code: injected }],
  ['its error field', 403, { error: injected }],
  ['a body that does not match the contract', 200, { success: injected, groupId: 7 }],
])('an error quotes %s without control characters', async (_what, status, body) => {
  const service = await startService((response) => sendJson(response, status, body))

  const error = await getRejection(createTestClient(service.url).groups.create(group))

  expect(String(error)).not.toMatch(isUnsafe)
})

it.each([
  ['x-request-id', 400],
  ['location', 302],
])('an error quotes the header %s without control characters', async (name, status) => {
  const service = await startService((response) => {
    response.setHeader(name, 'a\u009b1A\u0085b')
    sendJson(response, status, { message: 'no' })
  })

  const error = await getRejection(createTestClient(service.url).groups.create(group))

  expect(String(error)).toContain('\\u009b1A')
  expect(String(error)).not.toMatch(isUnsafe)
})
