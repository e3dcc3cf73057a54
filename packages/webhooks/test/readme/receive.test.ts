import { expect, test } from 'vitest'

Object.assign(process.env, { WEBHOOK_TOKEN: 'example-token', DATABASE: ':memory:' })
const { receiver } = await import('./receive.ts')

test('accepts what carries the token, and nothing else', async () => {
  const body = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'order-1042' })
  const send = (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return receiver.handle(new Request('http://localhost', { method: 'POST', body, headers }))
  }

  expect((await send('example-token')).status).toBe(200)
  expect((await send('guess')).status).toBe(401)
})
