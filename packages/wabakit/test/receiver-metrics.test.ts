import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { fixtures } from 'wabakit/mock'
import { createReceiver, generateSecret, signWebhook, standardWebhooks } from 'wabakit/webhooks'
import { measureWebhooks } from '../../../examples/receiver-metrics.ts'

test('measures webhooks by event and outcome, and gives forgers no labels of their own', async () => {
  const secret = generateSecret()
  const registry = new Registry()
  measureWebhooks(registry)
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [secret] }),
  }).on('CALL_ENDED', () => {})
  receiver.onError(() => {})
  const send = async (payload: object, key: string): Promise<void> => {
    const body = JSON.stringify(payload)
    const { headers } = await signWebhook({ payload: body, secret: key })
    const request = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
    await receiver.handle(new Request('https://example.com/webhooks', request))
  }

  await send(fixtures.event('CALL_ENDED'), secret)
  await send(fixtures.event('CALL_ENDED'), secret)
  await send(fixtures.event('GROUP_CREATED'), secret)
  await send({ event: 'FORGED' }, generateSecret())

  const counts = (await registry.metrics()).match(/^webhook_duration_seconds_count.*$/gm)
  expect(counts).toEqual([
    'webhook_duration_seconds_count{event="CALL_ENDED",outcome="handled"} 2',
    'webhook_duration_seconds_count{event="GROUP_CREATED",outcome="ignored"} 1',
    'webhook_duration_seconds_count{event="unknown",outcome="rejected"} 1',
  ])
})
