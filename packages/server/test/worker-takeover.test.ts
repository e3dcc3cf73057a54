import { createServer } from 'node:http'
import { createReferenceServer } from '@wabakit/core'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../src/stores/postgres/postgres-store.ts'
import { acme, createGroup, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { createPostgresDatabase } from './shared-cluster.ts'

/** An attempt as seen by an endpoint. */
type Attempt = { readonly id: string; readonly begun: number; ended: number; isAnswered: boolean }

/** Starts an endpoint that responds immediately or, while it hangs, never. */
const listen = async () => {
  const attempts: Attempt[] = []
  let isHanging = false
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    const attempt = { id, begun: performance.now(), ended: Number.POSITIVE_INFINITY, isAnswered: false }
    attempts.push(attempt)
    response.on('close', () => {
      attempt.ended = performance.now()
      attempt.isAnswered = response.writableFinished
    })
    request.resume()
    if (!isHanging) response.end()
  })
  const hang = (value: boolean): void => {
    isHanging = value
  }
  return { url: `${await listenOnFreePort(server)}/`, attempts, hang }
}

test('a worker whose session is ended by the database aborts its attempts before they are repeated', async () => {
  const database = await createPostgresDatabase()
  const endpoint = await listen()
  const api = await start({ database, role: 'api' })
  const worker = { database, role: 'worker' as const, organizations: [] }
  await start(worker)
  await start(worker)
  await api.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  const listDelivered = async () =>
    (await api.service.deliveries.list('acme', { statuses: ['delivered'], limit: 100 })).items
  // A subscription gets all its slots after its first quick response.
  await createGroup(api.url, { groupId: 'first' })
  await expect.poll(async () => (await listDelivered()).length).toBe(1)
  endpoint.hang(true)
  const groups = 17
  for (let group = 1; group < groups; group++) await createGroup(api.url, { groupId: `team-${group}` })
  await expect.poll(() => endpoint.attempts.length).toBe(1 + 8)

  const { rows } = await client.query(
    `SELECT pg_terminate_backend(l.pid) FROM wabakit.workers w JOIN pg_locks l ON l.locktype = 'advisory'
       AND (l.classid::bigint << 32 | l.objid::bigint) = wabakit.lock_key('worker', w.id)
     WHERE w.id IN (SELECT h.owner FROM wabakit.shards h JOIN wabakit.subscriptions s ON h.shard = wabakit.shard_of(s.position))`,
  )
  expect(rows.length).toBeGreaterThan(0)
  endpoint.hang(false)

  await expect.poll(async () => (await listDelivered()).length).toBe(groups)
  const byId = Map.groupBy(endpoint.attempts, ({ id }) => id)
  expect(byId.size).toBe(groups)
  expect(endpoint.attempts.filter(({ isAnswered }) => !isAnswered).length).toBeGreaterThan(0)
  for (const attempts of byId.values()) {
    expect(attempts.filter(({ isAnswered }) => isAnswered)).toHaveLength(1)
    for (const [index, { begun }] of attempts.entries()) {
      for (const earlier of attempts.slice(0, index)) expect(earlier.ended).toBeLessThanOrEqual(begun)
    }
  }
})

test('events published during a takeover arrive, although the store is polled only once an hour', async () => {
  const url = await createPostgresDatabase()
  const arrived: string[] = []
  const open = async () => {
    const database = await openPostgres({ url })
    const store = postgresStore(database)
    const server = createReferenceServer({
      store,
      organizations: [acme],
      delivery: { pollMs: 3_600_000 },
      fetch: async (receiver, _, { event }) => {
        arrived.push(`${receiver} ${event.subject}`)
        return new Response()
      },
    })
    await server.ready()
    onTestFinished(async () => {
      await server.dispatcher.stop({ graceMs: 0 })
      await store.close()
    })
    return { ...server, query: database.query }
  }
  const api = await open()
  const [first, second] = [await open(), await open()]
  const number = { channel: 'WHATSAPP', number: '+15550100001' } as const
  const publish = (from: number) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const event = { ...number, name: 'GROUP_CREATED', subject: `group:${from + index}`, payload: '{}' }
        return api.events.publish('acme', event)
      }),
    )
  // Their hashes determine their shards.
  for (let index = 0; index < 4; index++)
    await api.subscriptions.create('acme', { ...number, url: `https://${index}.example/` })
  const expectArrivals = (events: number) => expect.poll(() => arrived.length).toBe(4 * events)

  first.dispatcher.start()
  await publish(0)
  await expectArrivals(8)
  second.dispatcher.start()
  await expect.poll(() => api.query('SELECT FROM wabakit.workers')).toHaveLength(2)
  const handingOver = first.dispatcher.stop()
  await publish(8)
  await expectArrivals(16)
  await handingOver
  await publish(16)
  await expectArrivals(24)
  expect(new Set(arrived).size).toBe(4 * 24)
})
