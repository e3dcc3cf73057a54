import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { createWebhookSigner, generateSecret, signWebhook } from './index.ts'

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

it('produces the signature header of signWebhook', async () => {
  const secret = generateSecret()
  const content = { id: 'evt_1', timestamp: 1_614_265_330, payload: '{"é": "日本"}' }
  const { headers } = await signWebhook({ ...content, secret })
  expect(await createWebhookSigner([secret])(content)).toBe(headers['webhook-signature'])
})

it('refuses secrets that cannot be used', () => {
  for (const secrets of [[], [''], ['whsec_c2hvcnQ=']]) {
    expect(() => createWebhookSigner(secrets)).toThrow(expect.objectContaining({ reason: 'invalid_secret' }))
  }
})
