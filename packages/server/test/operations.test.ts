import { PassThrough } from 'node:stream'
import { HealthEvent } from '@wabakit/contract'
import { createReferenceServer, memoryStore } from '@wabakit/core'
import { createReceiver, generateSecret, standardWebhooks } from '@wabakit/webhooks'
import { expect, test } from 'vitest'
import { startServer } from '../src/index.ts'
import { ensureOperator } from '../src/serve/own-organizations.ts'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'

const operationsSecret = generateSecret()

/** Reads the received webhooks as the guide shows: a receiver verifies them, and the schema parses them. */
const receive = async (
  { arrivals }: Awaited<ReturnType<typeof listenForWebhooks>>,
  secret: string,
): Promise<HealthEvent[]> => {
  const events: HealthEvent[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onUnknown(
    ({ raw }) => {
      events.push(HealthEvent.parse(raw))
    },
  )
  for (const { headers, body } of arrivals) {
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const request = new Request('https://operations.example', { method: 'POST', headers: own, body })
    expect((await receiver.handle(request)).status).toBeLessThan(300)
  }
  return events
}

test('notifies the operator and the organization that a subscription was disabled and recovered', async () => {
  const operator = await listenForWebhooks()
  const own = await listenForWebhooks()
  let status = 410
  const endpoint = await listenForWebhooks(() => status)
  const server = await start({ operationsUrl: operator.url, operationsSecret })
  const { url, service } = server
  const told: string[] = []
  service.dispatcher.onHealth(({ type }) => told.push(type))
  const number = '+15550100001'
  const { id } = await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number,
    url: endpoint.url,
  })
  const created = await control(server, 'POST /organizations/acme/subscriptions', {
    channel: 'OPERATIONS',
    url: own.url,
  })

  await createGroup(url)
  await operator.arrived(1)
  status = 200
  await service.subscriptions.update('acme', id, { enabled: true })
  await createGroup(url)
  await operator.arrived(2)
  await own.arrived(2)

  const expected = [
    {
      type: 'subscription.disabled',
      data: { organizationId: 'acme', subscriptionId: id, disabledReason: 'gone' },
    },
    { type: 'subscription.recovered', data: { lastResponse: { status: 200 } } },
  ]
  expect(await receive(operator, operationsSecret)).toMatchObject(expected)
  expect(await receive(own, created.body.secret)).toMatchObject(expected)
  expect(told).toEqual(['subscription.disabled', 'subscription.recovered'])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('wabakit_health_events_total{event="subscription.disabled"} 1')
  expect(metrics).toContain('wabakit_health_events_total{event="subscription.failing"} 0')
})

test('logs that an operational subscription was disabled, because no health event can tell', async () => {
  const logStream = new PassThrough({ encoding: 'utf8' })
  const gone = await listenForWebhooks(() => 410)
  const settings = { operationsUrl: gone.url, operationsSecret, logLevel: 'warn', logFormat: 'json' } as const
  const { url, service } = await start(settings, { logStream })
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: gone.url } as const
  const { id } = await service.subscriptions.create('acme', subscription)
  await createGroup(url)

  let lines = ''
  const read = (): string => {
    lines += logStream.read() ?? ''
    return lines
  }
  await expect.poll(read).toContain('"reason":"gone","msg":"operational subscription disabled"')
  // The other subscription was disabled first, and is not operational.
  expect(lines).not.toContain(`"subscriptionId":"${id}","reason":"gone"`)
})

test('keeps one operator subscription, with the URL and secret from the last start', async () => {
  const store = memoryStore()
  const service = createReferenceServer({ store })
  const lastSecret = generateSecret()
  const first = { operationsUrl: 'https://first.example/', operationsSecret }
  const last = { operationsUrl: 'https://last.example/', operationsSecret: lastSecret }
  await Promise.all([ensureOperator({ service, store }, first), ensureOperator({ service, store }, first)])
  await ensureOperator({ service, store }, last)
  await ensureOperator({ service, store }, last)

  const { items } = await store.listSubscriptions('wabakit:operator', { limit: 10 })
  expect(items).toMatchObject([
    {
      channel: 'OPERATIONS',
      url: last.operationsUrl,
      secret: lastSecret,
      previousSecret: { secret: operationsSecret },
    },
  ])
})

test('refuses an operations URL without a secret, or with a forbidden target', async () => {
  const operationsUrl = 'https://operations.example/'
  const settings = { port: 0, database: ':memory:', logLevel: 'silent' } as const
  await expect(startServer({ ...settings, operationsUrl })).rejects.toThrow(/operationsSecret/)
  await expect(
    startServer({ ...settings, operationsUrl: 'http://operations.example/', operationsSecret }),
  ).rejects.toThrow(/operationsUrl .*must start with https/)
  await expect(
    startServer({ ...settings, operationsUrl, operationsSecret: 'not-a-secret-of-the-right-form' }),
  ).rejects.toThrow(/^operationsSecret .+whsec_[^\n]+$/)
})

test("creates the demo organization in addition to the operator's", async () => {
  const { demo } = await start({
    organizations: [],
    operationsUrl: 'https://operations.example/',
    operationsSecret,
  })
  expect(demo?.organizationId).toBe('demo')
})
