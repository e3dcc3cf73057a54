import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { createTcpProxy } from './tcp-proxy.ts'

/** A database behind a proxy that can interrupt its connections. */
const createProxiedDatabase = async () => {
  const database = new URL(await createPostgresDatabase())
  const proxy = await createTcpProxy(Number(database.port))
  onTestFinished(proxy.close)
  database.port = String(proxy.port)
  return { database: database.href, proxy }
}

test('processes share work over one PostgreSQL: one responds, another delivers', async () => {
  const database = await createPostgresDatabase()
  const endpoint = await listenForWebhooks()
  const api = await start({ database, role: 'api' })
  await api.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  await createGroup(api.url, { groupId: 'team-1' })
  expect((await api.service.deliveries.list('acme')).items).toMatchObject([
    { status: 'pending', attempts: 0 },
  ])

  const worker = await start({ database, role: 'worker', organizations: [] })
  await endpoint.arrived(1)

  expect(JSON.parse(endpoint.arrivals[0]?.body ?? '')).toMatchObject({ groupId: 'team-1' })
  expect((await createGroup(worker.url)).status).toBe(404)
  await expect.poll(async () => (await fetch(`${worker.url}/readyz`)).status).toBe(200)
})

test('limits apply across all processes', async () => {
  const database = await createPostgresDatabase()
  const config = { database, rateLimitPerKey: 3 } as const
  const [one, other] = [await start(config), await start(config)]

  const statuses: number[] = []
  for (const { url } of [one, other, one, other]) statuses.push((await createGroup(url)).status)

  expect(statuses).toEqual([200, 200, 200, 429])
})

test('is not ready while the database is unavailable, refuses with 503, and recovers without a restart', async () => {
  const { database, proxy } = await createProxiedDatabase()
  const { url } = await start({ database })
  const readiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  await expect.poll(readiness).toBe(200)

  proxy.refuse()
  expect(await readiness()).toBe(503)
  const refused = await createGroup(url)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

  proxy.restore()
  await expect.poll(readiness).toBe(200)
  await expect.poll(async () => (await createGroup(url)).status).toBe(200)
})

test('shows requests while the database is unavailable, without what an erasure might have removed', async () => {
  const { database, proxy } = await createProxiedDatabase()
  const { url } = await start({ database })
  await control({ url }, 'POST /organizations/acme/simulated-calls', { callId: 'c1' })
  const headers = { authorization: 'wk_test_key_0123456789' }
  const summary = await fetch(`${url}/v1/call/ai-summary?callId=c1`, { headers })
  const path = `GET /requests/${summary.headers.get('x-request-id')}`
  const { body } = await control({ url }, path)
  expect(body).toMatchObject({ callId: 'c1', responseBody: expect.stringContaining('c1') })
  proxy.refuse()
  expect((await createGroup(url)).status).toBe(503)

  const hidden = { callId: null, address: null, userAgent: null, query: null, responseBody: null }
  expect((await control({ url }, path)).body).toEqual({ ...body, ...hidden })
  const { items } = (await control({ url }, 'GET /requests')).body
  expect(items).toMatchObject([{ status: 503 }, { requestId: body.requestId, status: 200, callId: null }])
  expect((await control({ url }, 'GET /requests?call=c1')).status).toBe(503)

  proxy.restore()
  await expect.poll(async () => (await control({ url }, path)).body).toEqual(body)
})

test('a start that loses its database fails with that reason', async () => {
  const { database, proxy } = await createProxiedDatabase()
  proxy.loseResponseTo('SELECT wabakit.clock_ms()')
  await expect(start({ database })).rejects.toMatchObject({ name: 'DatabaseOpenError' })
})
