import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Store } from '@wabakit/core'
import { sqliteStore } from '@wabakit/server'
import { openPostgres, type PostgresDatabase, postgresStore } from '@wabakit/server/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { healthLimits } from '../../../packages/core/src/storage/decide-health.ts'
import { createPostgresDatabase } from '../../../packages/server/test/shared-cluster.ts'
import { organizationId, setUpOrganization } from '../src/cluster/organization.ts'
import type { HistoryEntry } from '../src/histories/history.ts'
import { reportAfterMs } from '../src/invariants/health.ts'
import type { EngineName, Plan } from '../src/plan.ts'
import { type RealStores, replayHistory } from './replay-history.ts'

const run = promisify(execFile)

type Recorded = { readonly plan: Plan; readonly history: readonly HistoryEntry[] }

/** Number of histories per engine. The long form of these tests uses `HISTORIES=100`. */
const count = process.env.HISTORIES ?? '2'

const recordHistories = async (): Promise<typeof recorded> => {
  const script = join(import.meta.dirname, 'record-histories.ts')
  const args = ['--conditions=@wabakit/source', script, count]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 })
  return JSON.parse(stdout)
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-histories-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Opens a SQLite file. With `isReopened`, another process opens the file again when a process dies. */
const openSqlite = async (path: string, { isReopened }: { readonly isReopened: boolean }) => {
  let store = sqliteStore({ path })
  const stores: RealStores = {
    getStore: async () => store,
    setTime: async () => {},
    findShard: async () => 0,
    endProcess: async () => {
      if (!isReopened) return
      await store.close()
      store = sqliteStore({ path })
    },
  }
  return { stores, store, close: () => stores.getStore('').then((last) => last.close()) }
}

let url: string
/** A connection that is not part of the histories. */
let admin: PostgresDatabase
let recorded: Record<Exclude<EngineName, 'postgres'>, readonly Recorded[]>
beforeAll(async () => {
  recorded = await recordHistories()
  url = await createPostgresDatabase()
  admin = await openPostgres({ url, ...silent })
  await admin.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await admin.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
}, 600_000)
afterAll(async () => {
  await admin.close()
})

const silent = { onWarning: () => {}, onError: () => {} }

const setTime = async (now: number): Promise<void> =>
  void (await admin.query('UPDATE public.clock SET now = $1', [now]))

/** Opens an empty PostgreSQL database whose clock the replay sets. Each process has its own connections. */
const openPostgresStores = async () => {
  await admin.query('DELETE FROM wabakit.workers')
  await postgresStore(admin).removeOrganization(organizationId)
  const processes = new Map<string, PostgresDatabase>()
  const stores: RealStores = {
    setTime,
    getStore: async (server) => {
      const database = processes.get(server) ?? (await openPostgres({ url, ...silent }))
      processes.set(server, database)
      return postgresStore(database)
    },
    findShard: async (deliveryId) => {
      const position = deliveryId.split('_')[2]
      const [row] = await admin.query<{ shard: number }>('SELECT wabakit.shard_of($1) AS shard', [position])
      return row?.shard ?? 0
    },
    endProcess: async (server) => {
      await processes.get(server)?.close()
      processes.delete(server)
    },
  }
  const close = async (): Promise<void> => {
    for (const database of processes.values()) await database.close()
  }
  return { stores, store: postgresStore(admin), close }
}

/** Replays the histories of an engine. */
const replayAll = async (
  engine: Exclude<EngineName, 'postgres'>,
  open: (index: number) => Promise<{ stores: RealStores; store: Store; close: () => Promise<void> }>,
): Promise<void> => {
  for (const [index, { plan, history }] of recorded[engine].entries()) {
    const { stores, store, close } = await open(index)
    await setUpOrganization(store, plan)
    healthLimits.reportAfterMs = plan.reportAfterMs ?? reportAfterMs
    expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
    await close()
  }
  healthLimits.reportAfterMs = reportAfterMs
}

test('PostgreSQL returns the same results as the simulated shared store for several processes, some of which die', () =>
  replayAll('memory', openPostgresStores))

test(
  'a SQLite file returns the same results as the simulated SQLite for a process that crashes',
  () => replayAll('sqlite', (index) => openSqlite(join(folder, `crashes-${index}.db`), { isReopened: true })),
  600_000,
)

test(
  'a SQLite file returns the same results as the simulated shared store for several workers',
  () =>
    replayAll('memory', (index) => openSqlite(join(folder, `workers-${index}.db`), { isReopened: false })),
  600_000,
)
