import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { generateSecret, signWebhook } from './index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('signWebhook', () => {
  it('signs the example of the Standard Webhooks specification', async () => {
    const signed = await signWebhook({
      payload: '{"test": 2432232314}',
      secret,
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
    })
    expect(signed.headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('is accepted by the standardwebhooks library', async () => {
    const payload = '{"é": "日本"}'
    const { headers } = await signWebhook({ payload, secret })
    expect(new Webhook(secret).verify(payload, headers)).toEqual({ é: '日本' })
  })

  it('adds one signature per secret while a secret is rotated', async () => {
    const next = generateSecret()
    const { headers } = await signWebhook({ payload: '{}', secret: [secret, next] })
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    for (const each of [secret, next]) new Webhook(each).verify('{}', headers)
  })
})
