import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createWebhookSigner, generateSecret, signWebhook, verifySignature } from './index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('signWebhook', () => {
  it('signs the example from the Standard Webhooks specification', async () => {
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

  it('signs bytes like the same text, with or without a byte order mark', async () => {
    for (const payload of ['{"é": "日本"}', '\ufeff{}']) {
      const [text, bytes] = await Promise.all(
        [payload, new TextEncoder().encode(payload)].map((each) =>
          signWebhook({ payload: each, secret, id: 'msg_1', timestamp: 1 }),
        ),
      )
      expect(bytes).toEqual(text)
    }
  })

  it('returns headers that are ready to send, with a content type, a new id and the current time', async () => {
    const { id, timestamp, headers } = await signWebhook({ payload: '{}', secret })
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(2)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
    })
  })

  it.each(['a.b', 'a b', '', 'ü', 'a\nb'])(
    'rejects the id %j, which receivers could not parse',
    async (id) => {
      const signing = signWebhook({ payload: '{}', secret, id })
      await expect(signing).rejects.toThrow(RangeError)
      await expect(signing).rejects.toThrow(
        `visible ASCII characters without a full stop, not ${JSON.stringify(id)}`,
      )
    },
  )

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 8.64e12 + 1])(
    'rejects the timestamp %d',
    async (timestamp) => {
      const signing = signWebhook({ payload: '{}', secret, timestamp })
      await expect(signing).rejects.toThrow(RangeError)
      await expect(signing).rejects.toThrow('Unix seconds')
    },
  )

  it('signs at any second since 1970', async () => {
    const { headers } = await signWebhook({ payload: '{}', secret, timestamp: 0 })
    expect(headers['webhook-timestamp']).toBe('0')
  })

  it('signs bytes that are not UTF-8', async () => {
    const payload = Uint8Array.of(0x7b, 0xff, 0x00, 0x7d)
    const { headers, id } = await signWebhook({ payload, secret })
    await expect(verifySignature({ payload, headers, secrets: [secret] })).resolves.toMatchObject({ id })
  })

  it('rejects a parsed body, and explains what to do', async () => {
    const payload = { event: 'X' } as unknown as string
    await expect(signWebhook({ payload, secret })).rejects.toThrow(/before any body parser/)
  })

  it.each(['', 'whsec_', `${secret}\n`, 'whsec_c2hvcnQ=', []])('rejects the secret %j', async (wrong) => {
    await expect(signWebhook({ payload: '{}', secret: wrong })).rejects.toMatchObject({
      reason: 'invalid_secret',
    })
  })
})

describe('createWebhookSigner', () => {
  it('signs any text with every secret like the standardwebhooks library', async () => {
    const secrets = [generateSecret(), generateSecret({ bytes: 64 })]
    const sign = createWebhookSigner(secrets)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(), async (payload, timestamp) => {
        const signature = await sign({ id: 'evt_1', timestamp, payload })
        const expected = secrets.map((each) =>
          new Webhook(each).sign('evt_1', new Date(timestamp * 1_000), payload),
        )
        expect(signature).toBe(expected.join(' '))
      }),
    )
  })

  it('signs synchronously on Node.js', () => {
    const sign = createWebhookSigner([secret, generateSecret()])
    expect(sign({ id: 'evt_1', timestamp: 1, payload: '{}' })).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('refuses secrets that cannot be used', () => {
    for (const secrets of [[], [''], ['whsec_c2hvcnQ=']]) {
      expect(() => createWebhookSigner(secrets)).toThrow(
        expect.objectContaining({ reason: 'invalid_secret' }),
      )
    }
  })
})
