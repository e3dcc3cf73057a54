import type { OwnedShard, Store } from '@wabakit/core'
import { createWorkers } from '@wabakit/core/storage'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

// Two workers and one shard, in every order of a few steps, on a clock that the test sets. The other stores assign shards
// by `createWorkers`, so PostgreSQL must do the same.

const leaseMs = 1_000

let database: PostgresDatabase
/** Holds the locks that prove that both workers are alive. */
let sessions: pg.Client
let store: Workers

type Workers = Pick<Store, 'renewWorker' | 'takeShards' | 'giveShards' | 'endWorker'>

beforeAll(async () => {
  const url = await createPostgresDatabase()
  database = await openPostgres({ url, onWarning: () => {} })
  await database.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await database.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
  sessions = new pg.Client(url)
  await sessions.connect()
  for (const worker of ['a', 'b'])
    await sessions.query(`SELECT pg_advisory_lock_shared(wabakit.lock_key('worker', $1))`, [worker])
  const renew: PostgresDatabase['worker']['renew'] = async (_, write) => {
    const view = await write()
    if (view === undefined) throw new Error('There is no view.')
    return view
  }
  store = postgresStore({ ...database, worker: { ...database.worker, renew } })
})
afterAll(async () => {
  await sessions.end()
  await database.close()
})

type Known = {
  readonly workers: Workers
  readonly setTime: (now: number) => Promise<unknown>
  now: number
  epoch: number
}

const renew = async (known: Known, worker: string) => {
  const { workers, shards } = await known.workers.renewWorker({ worker, leaseMs, now: known.now })
  const { epoch = -1, owner } = shards[0] ?? {}
  known.epoch = epoch
  return { workers: [...workers].sort(), epoch, owner }
}
const take = async (known: Known, worker: string, epoch = known.epoch): Promise<readonly OwnedShard[]> => {
  const { now } = known
  const taken = await known.workers.takeShards({ worker, shards: [{ shard: 0, epoch }], now })
  known.epoch = taken[0]?.epoch ?? known.epoch
  return taken
}
const give = ({ workers, epoch, now }: Known, worker: string) =>
  workers.giveShards({ worker, shards: [{ shard: 0, epoch }], now })
const goTo = async (known: Known, now: number): Promise<void> => {
  known.now = Math.max(known.now, now)
  await known.setTime(known.now)
}

const steps: Readonly<Record<string, (known: Known) => Promise<unknown>>> = {
  'a renews': (known) => renew(known, 'a'),
  'b renews': (known) => renew(known, 'b'),
  'a takes': (known) => take(known, 'a'),
  'b takes': (known) => take(known, 'b'),
  'b takes by an earlier epoch': (known) => take(known, 'b', 1),
  'a gives up': (known) => give(known, 'a'),
  'b gives up': (known) => give(known, 'b'),
  'a ends': ({ workers }) => workers.endWorker('a'),
  'the leases are about to end': (known) => goTo(known, leaseMs - 1),
  'the leases end': (known) => goTo(known, leaseMs),
}

const names = Object.keys(steps)
const pairs = names.flatMap((one) => names.map((two) => [one, two]))
const orders = [...pairs, ...pairs.map((pair) => ['the leases are about to end', ...pair])]

/**
 * Performs steps after both workers have renewed and a has taken the shard, and before b tries to take it. Returns what each
 * step returned.
 */
const perform = async (order: readonly string[], given: Pick<Known, 'workers' | 'setTime'>) => {
  const known: Known = { ...given, now: 0, epoch: 0 }
  const results: unknown[] = []
  for (const name of ['a renews', 'b renews', 'a takes', ...order, 'b renews', 'b takes'])
    results.push([name, await steps[name]?.(known)])
  return results
}

test('a shard belongs to one worker until its lease ends, in every order of steps, as on other stores', async () => {
  const setTime = (now: number) => database.query('UPDATE public.clock SET now = $1', [now])
  for (const order of orders) {
    await setTime(0)
    await database.query('DELETE FROM wabakit.workers')
    await database.query('UPDATE wabakit.shards SET owner = NULL, epoch = 0 WHERE epoch > 0')
    const expected = await perform(order, { workers: createWorkers(1), setTime: async () => {} })
    expect(await perform(order, { workers: store, setTime })).toEqual(expected)
  }
})
