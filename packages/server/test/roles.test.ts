import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGroup, listenForWebhooks, start } from './fixture.ts'
import { createCluster, type PostgresCluster } from './postgres-cluster.ts'

let cluster: PostgresCluster | undefined

beforeAll(async () => {
  cluster = await createCluster()
}, 60_000)

afterAll(() => cluster?.remove())

test('processes share the work over one PostgreSQL: one answers, another delivers', async () => {
  const database = (await cluster?.createDatabase()) ?? ''
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
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200)
})

test('limits hold over all processes', async () => {
  const database = (await cluster?.createDatabase()) ?? ''
  const config = { database, rateLimitPerKey: 3 } as const
  const [one, other] = [await start(config), await start(config)]

  const statuses: number[] = []
  for (const { url } of [one, other, one, other]) statuses.push((await createGroup(url)).status)

  expect(statuses).toEqual([200, 200, 200, 429])
})
