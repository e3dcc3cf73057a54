import type { Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { hasPgBouncer, startPgBouncer } from '../../../test/pgbouncer.ts'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { createTransactionPooler } from '../../../test/transaction-pooler.ts'
import { DatabaseOpenError } from '../errors/database-open-error.ts'
import { openPostgres, type PostgresDatabase, type PostgresOptions } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { toStorageError } from './storage-errors.ts'

let cluster: PostgresCluster
let url: string
/** Looks on; it is no worker. */
let admin: Opened

type Opened = { readonly database: PostgresDatabase; readonly store: Store; readonly errors: Error[] }

const opened: PostgresDatabase[] = []

const open = async (options: Partial<PostgresOptions> = {}): Promise<Opened> => {
  const errors: Error[] = []
  const onError = (error: unknown): unknown => errors.push(error instanceof Error ? error : new Error())
  const database = await openPostgres({ url, onError, ...options })
  opened.push(database)
  return { database, store: postgresStore(database), errors }
}

beforeAll(async () => {
  cluster = await createCluster()
})
afterAll(() => cluster.remove())
beforeEach(async () => {
  url = await cluster.createDatabase()
  admin = await open()
  await admin.store.saveOrganization(organization())
  await admin.store.saveSubscription(subscription())
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

const isRegistered = ({ database }: Opened): Promise<unknown> =>
  expect.poll(database.worker.number, { timeout: 10_000 }).toEqual(expect.any(Number))

/** A worker that is registered, and how often it was lost. */
const openWorker = async (options: Partial<PostgresOptions> = {}) => {
  const worker = await open(options)
  let losses = 0
  const unregister = worker.store.registerWorker(() => losses++)
  await isRegistered(worker)
  return { ...worker, unregister, losses: () => losses }
}

const addEvents = async (count: number): Promise<void> => {
  for (let added = 0; added < count; added++) await admin.store.addEvent(event())
}

/** Ends whatever a worker holds, without its having settled anything. */
const kill = async ({ database }: Opened): Promise<void> => {
  opened.splice(opened.indexOf(database), 1)
  await database.close()
}

let claims = 0

/** Claims what is due, and gives what it takes to settle it. */
const claim = async ({ store }: Opened) => {
  const claimId = `claim_${++claims}`
  const claimed = await store.claimDeliveries({
    ...{ claimId, now: 0, leaseMs: 60_000, limit: 10, perSubscription: 10 },
  })
  return claimed.map(({ delivery, event: { id } }) => ({ claimId, deliveryId: delivery.id, eventId: id }))
}

type Claimed = Awaited<ReturnType<typeof claim>>[number]

const release = ({ store }: Opened, { claimId, deliveryId }: Claimed) =>
  store.settleDelivery({ claimId, deliveryId, now: 0, result: { kind: 'released' }, failingLimitMs: 1_000 })

const registeredNumbers = async (): Promise<number[]> => {
  const rows = await admin.database.query<{ number: number }>('SELECT number FROM wabakit.workers ORDER BY 1')
  return rows.map(({ number }) => number)
}

/** Ends the session by which a worker is registered, while its process goes on. */
const endSession = (worker: Opened) =>
  admin.database.query(
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory'
       AND (l.classid::bigint << 32 | l.objid::bigint) = wabakit.lock_key('worker', $1)`,
    [String(worker.database.worker.number())],
  )

test('others get the claims of a lost worker after 2 seconds, in front of what fell due meanwhile', async () => {
  const [lost, other] = [await openWorker(), await openWorker()]
  await addEvents(3)
  const held = await claim(lost)
  const start = performance.now()
  await kill(lost)
  await expect
    .poll(() => admin.database.query('SELECT FROM wabakit.workers WHERE lost_at > 0'))
    .toHaveLength(1)
  await addEvents(1)

  const isTakenOver = async () => (await registeredNumbers()).length === 1
  await expect.poll(isTakenOver, { timeout: 10_000, interval: 10 }).toBe(true)
  expect(performance.now() - start).toBeGreaterThan(2_000)
  const again = await claim(other)
  expect(again.map(({ eventId }) => eventId).slice(0, 3)).toEqual(held.map(({ eventId }) => eventId))
  expect(again).toHaveLength(4)
  expect(other.errors).toEqual([])
}, 20_000)

test('a worker that starts later finds the claims of the one that died before it', async () => {
  const dead = await openWorker()
  await addEvents(2)
  const held = await claim(dead)
  await kill(dead)
  const next = await openWorker()
  const found: string[] = []
  const find = async () => found.push(...(await claim(next)).map(({ eventId }) => eventId))
  await expect.poll(find, { timeout: 10_000 }).toBe(held.length)
  expect(found).toEqual(held.map(({ eventId }) => eventId))
}, 20_000)

test('a worker whose session ended claims nothing until it is registered again, under another number', async () => {
  const worker = await openWorker()
  const before = worker.database.worker.number()
  await addEvents(1)
  await endSession(worker)
  await expect.poll(worker.losses).toBe(1)
  expect(await claim(worker)).toEqual([])
  await isRegistered(worker)
  expect(worker.database.worker.number()).not.toBe(before)
  expect(await claim(worker)).toHaveLength(1)
  expect(worker.losses()).toBe(1)
}, 20_000)

test('until others take them over, a lost worker settles what it claimed; later that is stale', async () => {
  const [lost] = [await openWorker(), await openWorker()]
  await addEvents(2)
  const [first, second] = await claim(lost)
  if (first === undefined || second === undefined) throw new Error('nothing was claimed')
  const before = lost.database.worker.number()
  await endSession(lost)
  await expect.poll(lost.losses).toBe(1)
  expect(await release(lost, first)).toMatchObject({ outcome: 'settled' })
  await expect.poll(registeredNumbers, { timeout: 10_000 }).not.toContain(before)
  expect(await release(lost, second)).toEqual({ outcome: 'stale' })
}, 20_000)

test('a claim under a number that was taken over finds nothing', async () => {
  await addEvents(1)
  const late = `SELECT * FROM claim_deliveries($1, 60000, 10, 10, NULL, NULL, '{}', $2)`
  expect(await admin.database.query(late, ['claim', 4_242])).toEqual([])
  expect(await admin.database.query(late, ['claim', null])).toHaveLength(1)
})

test('while a lost worker is making a claim, nobody takes it over', async () => {
  await openWorker()
  const [made] = await admin.database.query<{ number: number }>(
    'INSERT INTO wabakit.workers (lost_at) VALUES (0) RETURNING number',
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`SELECT pg_advisory_xact_lock_shared(wabakit.lock_key('worker', $1))`, [
    String(made?.number),
  ])
  const isForgotten = async () => !(await registeredNumbers()).some((number) => number === made?.number)
  const [looked] = await admin.database.query('SELECT * FROM check_workers(0)')
  expect(looked).toMatchObject({ released: 0, wait_ms: null })
  expect(await isForgotten()).toBe(false)
  await client.query('COMMIT')
  await expect.poll(isForgotten, { timeout: 5_000 }).toBe(true)
  await client.end()
})

test('an open database registers no worker, and its claims rely on their lease', async () => {
  await addEvents(1)
  expect(admin.database.worker.number()).toBeNull()
  expect(await claim(admin)).toHaveLength(1)
  expect(await registeredNumbers()).toEqual([])
})

test('a worker that ends leaves its number to others to forget, also while its process goes on', async () => {
  const [ended, other] = [await openWorker(), await openWorker()]
  const stopFollowing = await ended.database.attempts.follow('acme', () => {})
  ended.unregister()
  await expect.poll(registeredNumbers, { timeout: 10_000 }).toEqual([other.database.worker.number()])
  expect(ended.losses()).toBe(0)
  expect(ended.errors).toEqual([])
  stopFollowing()
}, 20_000)

test('refuses a pooler in transaction mode, and names the remedy', async () => {
  const pooler = await createTransactionPooler(cluster.port)
  const address = url.replace(`:${cluster.port}/`, `:${pooler.port}/`)
  const opening = open({ url: address })
  await expect(opening).rejects.toThrow('Set the pooler to session mode')
  await expect(opening).rejects.toBeInstanceOf(DatabaseOpenError)
  await pooler.close()
}, 20_000)

test.runIf(hasPgBouncer)(
  'runs behind PgBouncer in session mode, and refuses its transaction mode',
  async () => {
    const session = await startPgBouncer(url, 'session')
    const pooled = await openWorker({ url: session.url })
    await addEvents(1)
    expect(await claim(pooled)).toHaveLength(1)
    await kill(pooled)
    await session.close()

    const transaction = await startPgBouncer(url, 'transaction')
    for (let process = 0; process < 3; process += 1) {
      await expect(open({ url: transaction.url })).rejects.toThrow('Set the pooler to session mode')
    }
    await transaction.close()
  },
  30_000,
)

test('explains statements of another process in its session', () => {
  for (const code of ['42P05', '26000']) {
    const error = Object.assign(new pg.DatabaseError('exists', 1, 'error'), { severity: 'ERROR', code })
    expect(toStorageError(error, true)).toMatchObject({
      name: 'StorageUnavailableError',
      message: expect.stringContaining('session mode'),
    })
  }
})
