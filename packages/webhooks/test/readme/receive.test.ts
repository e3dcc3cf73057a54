import { expect, test } from 'vitest'

Object.assign(process.env, { WEBHOOK_TOKEN: 'example-token-of-16-bytes', DATABASE: ':memory:' })
const { receiver } = await import('./receive.ts')

test('accepts what has the token in its URL, and nothing else', async () => {
  const body = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'order-1042' })
  const send = (token: string) => {
    const headers = { 'content-type': 'application/json' }
    return receiver.handle(new Request(`http://localhost/?token=${token}`, { method: 'POST', body, headers }))
  }

  expect((await send('example-token-of-16-bytes')).status).toBe(200)
  expect((await send('guess')).status).toBe(401)
})
