import { expect, test } from 'vitest'
import { generateSecret, signWebhook } from 'wabakit/webhooks'

const secret = generateSecret()
process.env.WABAKIT_WEBHOOK_SECRET = secret
const { receiver } = await import('./receive.ts')

test('accepts what the service signed, and nothing else', async () => {
  const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'order-1042' })
  const { headers } = await signWebhook({ payload, secret })
  const send = (body: string) =>
    receiver.handle(new Request('http://localhost', { method: 'POST', body, headers }))

  expect((await send(payload)).status).toBe(200)
  expect((await send(payload.replace('1042', '1043'))).status).toBe(401)
})
