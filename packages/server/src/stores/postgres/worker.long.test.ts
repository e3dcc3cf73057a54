import type { AttemptKey, OwnedShard, Store } from '@wabakit/core'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasPgBouncer, startPgBouncer } from '../../../test/pgbouncer.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { awaitedAdvisoryLocks, createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { createTransactionPooler } from '../../../test/transaction-pooler.ts'
import { DatabaseOpenError, DatabasePoolerError } from '../errors.ts'
import { openPostgres, type PostgresDatabase, type PostgresOptions } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { prepareSession } from './session.ts'
import { toStorageError } from './storage-errors.ts'

let url: string
/** Observes the database without being a worker. */
let admin: Opened

type Opened = { readonly database: PostgresDatabase; readonly store: Store }

const opened: PostgresDatabase[] = []

const open = async (options: Partial<PostgresOptions> = {}): Promise<Opened> => {
  const database = await openPostgres({ url, onError: () => {}, ...options })
  opened.push(database)
  return { database, store: postgresStore(database) }
}
beforeEach(async () => {
  url = await createPostgresDatabase()
  admin = await open()
  await admin.store.saveOrganization(organization())
  await admin.store.saveSubscription(subscription())
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

const now = 0
let workers = 0

/** Opens a worker that takes free shards. */
const openWorker = async ({
  leaseMs = 60_000,
  ...options
}: Partial<PostgresOptions & { leaseMs: number }> = {}) => {
  const { database, store } = await open(options)
  const worker = `worker_${++workers}`
  const owned = new Map<number, number>()
  let losses = 0
  store.listen(({ kind }) => {
    if (kind === 'lost') losses++
  })
  const renew = () => store.renewWorker({ worker, leaseMs, now })
  /** Takes free shards and returns them. */
  const take = async (): Promise<OwnedShard[]> => {
    const free = (await renew()).shards.filter(({ owner }) => owner === null)
    const taken = await store.takeShards({ worker, shards: free, now })
    for (const { shard, epoch } of taken) owned.set(shard, epoch)
    return taken
  }
  return { database, store, worker, owned, renew, take, losses: () => losses }
}

type Worker = Awaited<ReturnType<typeof openWorker>>

const addEvents = async (count: number): Promise<void> => {
  for (let added = 0; added < count; added++) await admin.store.addEvent(event())
}

/** Finds the deliveries that a worker can attempt. */
const findKeys = async ({ store, owned }: Worker): Promise<AttemptKey[]> => {
  const { queues } = await store.readQueues({ shards: [...owned.keys()], limit: 10 })
  const keys: AttemptKey[] = []
  for (const { state } of queues) {
    const { heads } = await store.readHeads({ queue: state.queue, after: -1, limit: 10 })
    const epoch = owned.get(state.shard) ?? -1
    keys.push(...heads.map(({ id, version }) => ({ id, version, shard: state.shard, epoch })))
  }
  return keys
}

const attempt = { startedAt: 0, durationMs: 1, url: '', status: 200, error: null, responseBody: '' }

/** Loads and settles deliveries. Returns the outcomes. A delivery that could not be loaded has none. */
const load = async ({ store }: Worker, keys: readonly AttemptKey[]) => {
  const loaded = await store.loadDeliveries(keys)
  const settlements = keys.flatMap((key, index) => {
    const delivery = loaded[index]?.delivery
    const result = { kind: 'delivered' as const, attempt }
    return delivery === undefined ? [] : { ...key, delivery, now, result, failingLimitMs: 1_000 }
  })
  return { count: settlements.length, settle: () => store.settleDeliveries(settlements) }
}

/** Ends a process without giving up its shards. */
const kill = async ({ database }: Opened): Promise<void> => {
  opened.splice(opened.indexOf(database), 1)
  await database.close()
}

/** Ends the session that proves that a worker is alive, while its process continues. */
const endSession = ({ worker }: Worker) =>
  admin.database.query(
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory'
       AND (l.classid::bigint << 32 | l.objid::bigint) = wabakit.lock_key('worker', $1)`,
    [worker],
  )

test('the shards of a killed worker are free after 2 seconds, and its attempts are repeated', async () => {
  const [lost, other] = [await openWorker(), await openWorker()]
  expect(await lost.take()).toHaveLength(64)
  expect(await other.take()).toEqual([])
  await addEvents(3)
  expect((await load(lost, await findKeys(lost))).count).toBe(3)
  const start = performance.now()
  await kill(lost)
  await expect.poll(other.take, { interval: 50 }).toHaveLength(64)
  // The clock of PostgreSQL may differ a little.
  expect(performance.now() - start).toBeGreaterThan(1_990)
  expect((await load(other, await findKeys(other))).count).toBe(3)
})

test('the shards of a worker that does not renew its lease are free when the lease ends', async () => {
  const [paused, other] = [await openWorker({ leaseMs: 1_000 }), await openWorker()]
  await paused.take()
  await expect.poll(other.take).toHaveLength(64)
})

test('in a shard that was taken over, settlements are stale and nothing is loaded', async () => {
  const [paused, other] = [await openWorker({ leaseMs: 1_000 }), await openWorker()]
  await paused.take()
  await addEvents(2)
  const keys = await findKeys(paused)
  const begun = await load(paused, keys)
  await expect.poll(other.take).toHaveLength(64)
  expect(await begun.settle()).toEqual([{ outcome: 'stale' }, { outcome: 'stale' }])
  expect((await load(paused, keys)).count).toBe(0)
  const outcomes = await (await load(other, await findKeys(other))).settle()
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['settled', 'settled'])
})

test('taking a shard waits for a settlement that is being written, and then sees it', async () => {
  const [first, second] = [await openWorker({ leaseMs: 1_000 }), await openWorker()]
  await first.take()
  await addEvents(1)
  const [key] = await findKeys(first)
  if (key === undefined) throw new Error('nothing is due')
  const [, eventPosition, queue] = key.id.split('_')
  const slow = new pg.Client({ connectionString: url })
  await slow.connect()
  await prepareSession(slow, 10_000)
  await slow.query('BEGIN')
  await slow.query(
    `SELECT different FROM settle($1, $2, $3, '{NULL}', '{false}', '{false}', '[]', $3, $4, '{0}', '{1}', '{1}', '{1}', '{x}', '{200}', '{x}',
       NULL, NULL)`,
    [[key.shard], [key.epoch], [queue], [eventPosition]],
  )
  const isFree = async () =>
    (await second.renew()).shards.find(({ shard }) => shard === key.shard)?.owner === null
  await expect.poll(isFree).toBe(true)
  const taking = second.take()
  const isWaiting = async () => (await admin.database.query(awaitedAdvisoryLocks)).length > 0
  await expect.poll(isWaiting).toBe(true)
  await slow.query('COMMIT')
  expect(await taking).toHaveLength(64)
  expect(await findKeys(second)).toEqual([])
  await slow.end()
})

test('a worker whose session ended is notified that it is lost, and can retake its shards with new epochs', async () => {
  const worker = await openWorker()
  await worker.take()
  const epochs = new Map(worker.owned)
  await endSession(worker)
  await expect.poll(worker.losses).toBe(1)
  const { shards } = await worker.renew()
  const taken = await worker.store.takeShards({ worker: worker.worker, shards, now })
  expect(taken).toHaveLength(64)
  expect(taken.every(({ shard, epoch }) => epoch === (epochs.get(shard) ?? 0) + 1)).toBe(true)
})

test('a worker that another one has found lost is alive again once it has renewed its lease', async () => {
  const [lost, other] = [await openWorker(), await openWorker()]
  await lost.take()
  await other.renew()
  await endSession(lost)
  const findLost = () => admin.database.query('SELECT FROM wabakit.workers WHERE lost_at IS NOT NULL')
  await expect
    .poll(async () => [(await other.renew()).workers.length, (await findLost()).length])
    .toEqual([2, 1])
  await lost.renew()
  const renewedAt = performance.now()
  const hasWaited = async (): Promise<boolean> => {
    const { workers } = await other.renew()
    expect(workers).toContain(lost.worker)
    return performance.now() - renewedAt > 2_500
  }
  await expect.poll(hasWaited).toBe(true)
  expect(await other.take()).toEqual([])
})

test("shards that a worker gives up are free immediately, and no worker takes another's shards", async () => {
  const [first, second] = [await openWorker(), await openWorker()]
  const [some] = await first.take()
  if (some === undefined) throw new Error('nothing was taken')
  await first.store.giveShards({ worker: first.worker, shards: [some], now })
  expect(await second.take()).toEqual([{ shard: some.shard, epoch: some.epoch + 1 }])
  const { shards } = await second.renew()
  expect(await second.store.takeShards({ worker: second.worker, shards, now })).toHaveLength(1)
  await first.store.endWorker(first.worker)
  expect(await second.take()).toHaveLength(63)
  expect((await second.renew()).workers).toEqual([second.worker])
})

test('when many workers take shards concurrently, each shard goes to one of them', async () => {
  const some = await Promise.all(Array.from({ length: 4 }, () => openWorker()))
  const view = await admin.database.query<OwnedShard>('SELECT shard, epoch FROM wabakit.shards')
  await Promise.all(some.map(({ renew }) => renew()))
  const taken = await Promise.all(
    some.map(({ store, worker }) => store.takeShards({ worker, shards: view, now })),
  )
  const shards = taken.flat().map(({ shard }) => shard)
  expect([shards.length, new Set(shards).size]).toEqual([64, 64])
})

test('refuses a pooler in transaction mode, and names the remedy', async () => {
  const address = new URL(url)
  const pooler = await createTransactionPooler(Number(address.port))
  address.port = String(pooler.port)
  const opening = open({ url: address.href })
  await expect(opening).rejects.toThrow('Set the pooler to session mode')
  await expect(opening).rejects.toBeInstanceOf(DatabaseOpenError)
  await pooler.close()
})

test.runIf(hasPgBouncer)(
  'runs behind PgBouncer in session mode, and refuses its other modes with an error that lasts',
  async () => {
    const session = await startPgBouncer(url, 'session')
    const pooled = await openWorker({ url: session.url })
    expect(await pooled.take()).toHaveLength(64)
    await kill(pooled)
    await session.close()

    for (const mode of ['transaction', 'statement'] as const) {
      const pooler = await startPgBouncer(url, mode)
      for (let process = 0; process < 3; process += 1) {
        const opening = open({ url: pooler.url })
        await expect(opening).rejects.toThrow('a pooler in transaction or statement mode')
        await expect(opening).rejects.toBeInstanceOf(DatabasePoolerError)
      }
      await pooler.close()
    }
  },
)

test("explains another process's statements in its session", () => {
  for (const code of ['42P05', '26000']) {
    const error = Object.assign(new pg.DatabaseError('exists', 1, 'error'), { severity: 'ERROR', code })
    expect(toStorageError(error, true)).toMatchObject({
      name: 'StorageUnavailableError',
      message: expect.stringContaining('session mode'),
    })
  }
})
