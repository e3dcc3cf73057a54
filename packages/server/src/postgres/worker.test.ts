import type { Store } from '@wabakit/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../test/records.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

let cluster: PostgresCluster
let url: string

beforeAll(async () => {
  cluster = await createCluster()
})
afterAll(() => cluster.remove())

const opened: PostgresDatabase[] = []
beforeEach(async () => {
  url = await cluster.createDatabase()
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

const open = async (
  address = url,
): Promise<{ database: PostgresDatabase; store: Store; errors: unknown[] }> => {
  const errors: unknown[] = []
  const database = await openPostgres({ url: address, onError: (error) => errors.push(error) })
  opened.push(database)
  return { database, store: postgresStore(database), errors }
}

/** A registered worker, and how often it was lost. */
const openWorker = async () => {
  const { database, store, errors } = await open()
  let losses = 0
  const unregister = store.registerWorker(() => losses++)
  await expect.poll(() => database.worker.number(), { timeout: 5_000 }).toEqual(expect.any(Number))
  return { database, store, errors, unregister, losses: () => losses }
}

/** Something to deliver. */
const prepare = async (events: number): Promise<PostgresDatabase> => {
  const { database, store } = await open()
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  for (let count = 0; count < events; count++) await store.addEvent(event())
  return database
}

const claim = (store: Store, claimId: string) =>
  store.claimDeliveries({ claimId, now: 0, leaseMs: 60_000, limit: 10, perSubscription: 10 })

/** Ends the session of a worker, whose process lives on. */
const terminate = (admin: PostgresDatabase, { database }: { database: PostgresDatabase }) =>
  admin.query(
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.mode = 'ShareLock'
       AND (l.classid::bigint << 32 | l.objid::bigint) = wabakit.lock_key('worker', $1)`,
    [String(database.worker.number())],
  )

test('claims of a worker whose session ended are free for others 2 seconds later, in front of what is due', async () => {
  const admin = await prepare(3)
  const [lost, other] = [await openWorker(), await openWorker()]
  const [held] = [await claim(lost.store, 'claim_1')]
  expect(held).toHaveLength(3)
  await postgresStore(admin).addEvent(event())
  const start = performance.now()
  expect(await terminate(admin, lost)).toHaveLength(1)

  const taken: string[] = []
  const take = async () => {
    const some = await other.store.claimDeliveries({
      ...{ claimId: 'claim_2', now: 0, leaseMs: 60_000, limit: 10, perSubscription: 10 },
    })
    taken.push(...some.map(({ delivery }) => delivery.id))
    return taken.length
  }
  expect(await take()).toBe(1)
  await expect.poll(take, { timeout: 10_000, interval: 20 }).toBe(4)
  const waited = performance.now() - start
  expect(waited).toBeGreaterThan(1_990)
  expect(waited).toBeLessThan(10_000)
  expect(other.errors).toEqual([])
}, 20_000)
