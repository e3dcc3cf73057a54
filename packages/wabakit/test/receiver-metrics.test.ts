import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { fixtures } from 'wabakit/mock'
import {
  anyOf,
  createReceiver,
  generateSecret,
  signWebhook,
  standardWebhooks,
  urlToken,
} from 'wabakit/webhooks'
import { measureWebhooks } from '../../../examples/receiver-metrics.ts'

test('measures webhooks by event, outcome and what verified them, and gives forgers no labels of their own', async () => {
  const secret = generateSecret()
  const token = '0123456789abcdef'
  const registry = new Registry()
  measureWebhooks(registry)
  const receiver = createReceiver({
    verify: anyOf(standardWebhooks({ secrets: [secret] }), urlToken({ token })),
  }).on('CALL_ENDED', () => {})
  receiver.onError(() => {})
  const send = async (payload: object, key: string, query = ''): Promise<void> => {
    const body = JSON.stringify(payload)
    const { headers } = await signWebhook({ payload: body, secret: key })
    const request = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
    await receiver.handle(new Request(`https://example.com/webhooks${query}`, request))
  }

  await send(fixtures.event('CALL_ENDED'), secret)
  await send(fixtures.event('CALL_ENDED'), secret)
  await send(fixtures.event('CALL_ENDED'), secret, `?token=${token}`)
  await send(fixtures.event('CALL_ENDED'), generateSecret(), `?token=${token}`)
  await send(fixtures.event('GROUP_CREATED'), secret)
  await send({ event: 'FORGED' }, generateSecret())

  const counts = (await registry.metrics()).match(/^webhook_duration_seconds_count.*$/gm)
  expect(counts).toEqual([
    'webhook_duration_seconds_count{event="CALL_ENDED",outcome="handled",verified_by="standardWebhooks"} 2',
    'webhook_duration_seconds_count{event="CALL_ENDED",outcome="handled",verified_by="standardWebhooks+urlToken"} 1',
    'webhook_duration_seconds_count{event="CALL_ENDED",outcome="handled",verified_by="urlToken"} 1',
    'webhook_duration_seconds_count{event="GROUP_CREATED",outcome="ignored",verified_by="standardWebhooks"} 1',
    'webhook_duration_seconds_count{event="unknown",outcome="rejected",verified_by="nothing"} 1',
  ])
})
