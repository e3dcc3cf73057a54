import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createGroup, listenForWebhooks, start } from './fixture.ts'
import { createCluster, type PostgresCluster } from './postgres-cluster.ts'
import { createTcpProxy } from './tcp-proxy.ts'

let cluster: PostgresCluster | undefined

beforeAll(async () => {
  cluster = await createCluster()
})

afterAll(() => cluster?.remove())

test('processes share work over one PostgreSQL: one responds, another delivers', async () => {
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

test('limits apply across all processes', async () => {
  const database = (await cluster?.createDatabase()) ?? ''
  const config = { database, rateLimitPerKey: 3 } as const
  const [one, other] = [await start(config), await start(config)]

  const statuses: number[] = []
  for (const { url } of [one, other, one, other]) statuses.push((await createGroup(url)).status)

  expect(statuses).toEqual([200, 200, 200, 429])
})

test('is not ready while the database is unavailable, refuses with 503, and recovers without a restart', async () => {
  const database = (await cluster?.createDatabase()) ?? ''
  const { url } = await start({ database })
  const readiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  await expect.poll(readiness).toBe(200)

  await cluster?.stop()
  expect(await readiness()).toBe(503)
  const refused = await createGroup(url)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

  await cluster?.start()
  await expect.poll(readiness).toBe(200)
  expect((await createGroup(url)).status).toBe(200)
})

test('is not ready while the database is read-only', async () => {
  const database = (await cluster?.createDatabase()) ?? ''
  const { url } = await start({ database })
  const readiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  const reconnect = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
  const name = new URL(database).pathname.slice(1)

  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await client.query(reconnect)
  // The first request may fail because its session ends. The next session can only read.
  const statuses = async () => [(await createGroup(url)).status, await readiness()]
  await expect.poll(statuses).toEqual([503, 503])

  await client.query(`SET default_transaction_read_only = off`)
  await client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await client.query(reconnect)
  await expect.poll(async () => (await createGroup(url)).status).toBe(200)
  await expect.poll(readiness).toBe(200)
})

test('a start that loses its database fails with that reason', async () => {
  const database = new URL((await cluster?.createDatabase()) ?? '')
  const proxy = await createTcpProxy(Number(database.port))
  onTestFinished(proxy.close)
  database.port = String(proxy.port)
  proxy.loseResponseTo('SELECT wabakit.clock_ms()')
  await expect(start({ database: database.href })).rejects.toMatchObject({ name: 'DatabaseOpenError' })
})
