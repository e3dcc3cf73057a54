import { tracingChannel } from 'node:diagnostics_channel'
import type { DeliveryTrace } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'

const path = '/organizations/acme'
const token = 's3cret+s3cret-s3cret'
const encoded = encodeURIComponent(token)

test('a secret in a URL is sent to the endpoint, and appears nowhere else', async () => {
  const { url, service } = await start()
  const channel = tracingChannel<DeliveryTrace, DeliveryTrace>('wabakit.delivery')
  const traces: unknown[] = []
  const subscriber = { start: (trace: DeliveryTrace) => traces.push(trace.url) }
  channel.subscribe(subscriber as never)
  onTestFinished(() => void channel.unsubscribe(subscriber as never))
  const endpoint = await listenForWebhooks(() => ({
    status: 500,
    body: `no route ?token=${encoded}, ${token}`,
  }))
  const subscribed = await control({ url }, `POST ${path}/subscriptions`, {
    ...{ channel: 'WHATSAPP', number: '+15550100001' },
    url: `${endpoint.url}?token=${encoded}&v=2`,
  })
  const { id } = subscribed.body
  await createGroup(url, { groupId: 'g' })
  await endpoint.arrived(1)
  const [delivery] = (await service.deliveries.list('acme')).items
  const attempts = `${path}/deliveries/${delivery?.id}/attempts`
  await expect.poll(async () => (await control({ url }, `GET ${attempts}`)).body.items.length).toBe(1)
  expect(traces).toEqual([`${endpoint.url}?token=***&v=***`])

  const answers: unknown[] = [subscribed.body, ...traces]
  for (const route of [
    `GET ${path}/subscriptions`,
    `GET ${path}/subscriptions/${id}`,
    `GET ${attempts}`,
    `GET ${attempts}/1/request`,
    `GET ${path}/timeline?group=g`,
    `GET ${path}/overview`,
    `GET ${path}/search?text=token`,
    `GET ${path}/search?text=s3cret`,
  ]) {
    const { status, body } = await control({ url }, route)
    expect([route, status]).toEqual([route, 200])
    answers.push(body)
  }
  expect(JSON.stringify(answers)).not.toMatch(/s3cret/)
  expect(subscribed.body.url).toBe(`${endpoint.url}?token=***&v=***`)
  expect(answers[2]).toMatchObject({ items: [{ url: `${endpoint.url}?token=***&v=***` }] })
  expect(JSON.stringify(await service.deliveries.attempts('acme', delivery?.id ?? ''))).not.toContain(
    's3cret',
  )
})

test('an update without a URL keeps it, and a URL that contains the mask is refused', async () => {
  const { url, service } = await start()
  const hook = `http://127.0.0.1:9/hooks?token=${encoded}`
  const input = { channel: 'WHATSAPP', number: '+15550100001', url: hook }
  const { body } = await control({ url }, `POST ${path}/subscriptions`, input)
  const change = `PATCH ${path}/subscriptions/${body.id}`
  expect((await control({ url }, change, { enabled: false })).status).toBe(200)
  for (const masked of [body.url, 'https://a.example/?token=%2A%2a*', 'https://a.example/***']) {
    const refused = await control({ url }, change, { url: masked })
    expect([refused.status, refused.body.errors ?? refused.body]).toMatchObject([400, expect.anything()])
    expect(JSON.stringify(refused.body)).toContain('omit it')
    expect((await control({ url }, `POST ${path}/subscriptions`, { ...input, url: masked })).status).toBe(400)
  }
  expect((await service.subscriptions.find('acme', body.id))?.url).toBe(hook)
})
