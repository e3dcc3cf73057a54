import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sqliteStore } from '@wabakit/server'
import { openPostgres, type PostgresDatabase, postgresStore } from '@wabakit/server/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkWorkers, registerWorker } from '../../server/src/stores/postgres/functions/workers.ts'
import { prepareSession } from '../../server/src/stores/postgres/session.ts'
import { createCluster, type PostgresCluster } from '../../server/test/postgres-cluster.ts'
import { organizationId, setUpOrganization } from '../src/cluster/organization.ts'
import type { HistoryEntry } from '../src/histories/history.ts'
import { type RealStores, replayHistory } from '../src/histories/replay-history.ts'
import type { EngineName, Plan } from '../src/plan.ts'

const run = promisify(execFile)

type Recorded = { readonly plan: Plan; readonly history: readonly HistoryEntry[] }

/** How many histories of each engine are repeated. For the long form: `HISTORIES=100`. */
const count = process.env.HISTORIES ?? '2'

const recordHistories = async (engine: EngineName): Promise<readonly Recorded[]> => {
  const script = join(import.meta.dirname, 'record-histories.ts')
  const args = ['--conditions=@wabakit/source', script, engine, count]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 })
  return JSON.parse(stdout)
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-histories-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A SQLite file. `isReopened`: a process that died is followed by one that opens the file again. */
const openSqlite = async (path: string, { isReopened }: { readonly isReopened: boolean }) => {
  let store = sqliteStore({ path })
  const stores: RealStores = {
    getStore: async () => store,
    setTime: async () => {},
    follow: async () => {
      if (!isReopened) return
      await store.close()
      store = sqliteStore({ path })
    },
  }
  return { stores, store, close: () => store.close() }
}

let cluster: PostgresCluster
let url: string
/** A connection of its own, which is no part of the histories. */
let admin: PostgresDatabase
let recorded: Record<EngineName, readonly Recorded[]>
beforeAll(async () => {
  const [memory, sqlite, postgres] = await Promise.all([
    recordHistories('memory'),
    recordHistories('sqlite'),
    recordHistories('postgres'),
  ])
  recorded = { memory, sqlite, postgres }
  cluster = await createCluster()
  url = await cluster.createDatabase()
  admin = await openPostgres({ url, ...silent })
  await admin.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await admin.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
}, 600_000)
afterAll(async () => {
  await admin.close()
  await cluster.remove()
})

const silent = { onWarning: () => {}, onError: () => {} }

const setTime = async (now: number): Promise<void> =>
  void (await admin.query('UPDATE public.clock SET now = $1', [now]))

/** An empty PostgreSQL whose clock shows what it is set to. Each server has a process, and each worker a session. */
const openPostgresStores = async () => {
  await admin.query('DELETE FROM wabakit.workers')
  await postgresStore(admin).removeOrganization(organizationId)
  const processes = new Map<string, PostgresDatabase>()
  const sessions = new Map<number, { readonly number: number; readonly client: pg.Client }>()

  const openProcess = async (server: string): Promise<PostgresDatabase> => {
    const own = processes.get(server) ?? (await openPostgres({ url, ...silent }))
    processes.set(server, own)
    return own
  }
  const closeProcess = async (server: string): Promise<void> => {
    await processes.get(server)?.close()
    processes.delete(server)
  }
  const startSession = async (worker: number): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await prepareSession(client, 10_000)
    const { rows } = await client.query<{ number: number }>(registerWorker)
    sessions.set(worker, { number: rows[0]?.number ?? 0, client })
  }
  /** Resolves when PostgreSQL knows that the session is over. */
  const endSession = async (worker: number): Promise<void> => {
    const session = sessions.get(worker)
    const { rows } = (await session?.client.query('SELECT pg_backend_pid() AS pid')) ?? { rows: [] }
    await admin.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
  }

  const stores: RealStores = {
    setTime,
    getStore: async (server) => {
      const database = await openProcess(server)
      const store = postgresStore(database)
      return {
        ...store,
        claimDeliveries: (request) => {
          const worker: unknown = Reflect.get(request, 'worker')
          const number = typeof worker === 'number' ? (sessions.get(worker)?.number ?? -1) : null
          const own = { ...database.worker, number: () => number }
          return postgresStore({ ...database, worker: own }).claimDeliveries(request)
        },
      }
    },
    follow: async (entry) => {
      switch (entry.method) {
        case 'process ended':
          return closeProcess(entry.server)
        case 'process started':
          await setTime(entry.now)
          await openProcess(entry.server)
          return
        case 'worker registered':
          return startSession(entry.worker)
        case 'worker lost':
          return endSession(entry.worker)
        case 'workers checked':
          await setTime(entry.now)
          await checkWorkers(admin.query, null)
      }
    },
  }
  const close = async (): Promise<void> => {
    for (const { client } of sessions.values()) await client.end().catch(() => {})
    for (const database of processes.values()) await database.close()
  }
  return { stores, store: postgresStore(admin), close }
}

test.each([
  ['the simulated shared store', 'memory'],
  ['the simulated PostgreSQL with its takeover', 'postgres'],
] as const)(
  'PostgreSQL does step by step what %s did, for several processes that die',
  async (_, engine) => {
    for (const { plan, history } of recorded[engine]) {
      const { stores, store, close } = await openPostgresStores()
      await setUpOrganization(store, plan)
      expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
      await close()
    }
  },
  120_000,
)

test('a SQLite file does step by step what the simulated SQLite did, through crashes', async () => {
  for (const [index, { plan, history }] of recorded.sqlite.entries()) {
    const { stores, store, close } = await openSqlite(join(folder, `crashes-${index}.db`), {
      isReopened: true,
    })
    await setUpOrganization(store, plan)
    expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
    await close()
  }
}, 600_000)

test('a SQLite file does step by step what the simulated shared store did, for several workers', async () => {
  for (const [index, { plan, history }] of recorded.memory.entries()) {
    const { stores, store, close } = await openSqlite(join(folder, `workers-${index}.db`), {
      isReopened: false,
    })
    await setUpOrganization(store, plan)
    expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
    await close()
  }
}, 600_000)
