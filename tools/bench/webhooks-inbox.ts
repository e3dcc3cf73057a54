import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, type Inbox, type InboxContext, sqlInbox, unsigned } from '@wabakit/webhooks'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { findPostmaster, readFamilyCpuTime } from './src/cpu-time.ts'
import { createFloor, createPostgresStatements, createSqliteStatements } from './src/inbox/floors.ts'
import { createGraphileWorker, createPgBoss } from './src/inbox/peers.ts'
import { body, concurrency, nextEvent, type Queue } from './src/inbox/queue.ts'
import { type Contender, findRow, measure, readOwnCpu } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'
import { runConcurrently } from './src/run-tasks.ts'

await using closing = new AsyncDisposableStack()
const folder = closing.adopt(mkdtempSync(join(tmpdir(), 'wabakit-bench-')), (path) =>
  rmSync(path, { recursive: true }),
)
const cluster = closing.use(await createCluster({ settings: { fsync: 'on', max_connections: '200' } }))

/** Maximum number of events that a worker fetches before it calls the first handler. */
const fetchedAhead = 500

const createContenders = (
  name: string,
  queue: Queue,
  options: { readonly floor?: string; readonly readCpu: () => number },
): Contender[] => {
  const { floor, readCpu } = options
  const store = (times: number) => runConcurrently({ times, concurrency }, () => queue.store(nextEvent()))
  return [
    {
      name: `${name}, stored`,
      floor: floor && `${floor}, stored`,
      readCpu,
      run: store,
    },
    {
      name: `${name}, handled`,
      floor: floor && `${floor}, handled`,
      readCpu,
      prepare: async (times) => {
        await queue.handleAll(() => {}, Number.NaN)
        await store(times)
      },
      run: async (times) => {
        // Excludes the start of a worker, and the events that it fetches before it calls the first handler.
        let [startedAt, cpuBefore, handled] = [Number.NaN, Number.NaN, 0]
        await queue.handleAll(() => {
          handled += 1
          if (handled === fetchedAhead) [startedAt, cpuBefore] = [performance.now(), readCpu()]
        }, times)
        if (handled !== times) throw new Error(`${name} handled ${handled} of ${times}.`)
        const measured = times - fetchedAhead
        const time = ((performance.now() - startedAt) * 1_000) / measured
        return { time, cpu: (readCpu() - cpuBefore) / measured }
      },
    },
  ]
}

const createInboxQueue = <Client, Database>(inbox: Inbox<InboxContext<Client, Database>>): Queue => {
  let onHandled = (): void => {}
  const receiver = createReceiver({ verify: unsigned(), inbox }).onAny(() => onHandled())
  return {
    store: ({ id, body }) => receiver.accept(body, { id }),
    handleAll: (handled) => {
      onHandled = handled
      return receiver.drain()
    },
  }
}

const openPool = async (max = 10): Promise<pg.Pool> => {
  const pool = new pg.Pool({ connectionString: await cluster.createDatabase(), max })
  // `end` does not wait for the last connections, which report an error if the server stops before they are closed.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  closing.defer(() => pool.end())
  return pool
}

const openSqlite = (name: string): DatabaseSync => {
  const database = new DatabaseSync(join(folder, name))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  closing.defer(() => database.close())
  return database
}

const openPgBoss = async (): Promise<PgBoss> => {
  const boss = new PgBoss({ connectionString: await cluster.createDatabase(), max: 20 })
  boss.on('error', console.error)
  await boss.start()
  closing.defer(() => boss.stop({ graceful: false }))
  return boss
}

const postmaster = await findPostmaster(cluster)
const readCpu = (): number => readOwnCpu() + readFamilyCpuTime(postmaster)
const [postgresFloor, sqliteFloor] = ['insert and update with pg', 'insert and update with node:sqlite']
const inBatches = (floor: string): string => `${floor}, in batches`
const onPostgres = { readCpu, floor: postgresFloor }
const onSqlite = { readCpu: readOwnCpu, floor: sqliteFloor }
const names = { postgres: 'wabakit, PostgreSQL', sqlite: 'wabakit, SQLite' }
const peers = ['graphile-worker', 'pg-boss']
const contenders = [
  ...createContenders(postgresFloor, createFloor(await createPostgresStatements(await openPool()), 'event'), {
    readCpu,
  }),
  ...createContenders(
    inBatches(postgresFloor),
    createFloor(await createPostgresStatements(await openPool()), 'batch'),
    onPostgres,
  ),
  ...createContenders(
    names.postgres,
    createInboxQueue(sqlInbox(await openPool(), { concurrency })),
    onPostgres,
  ),
  ...createContenders('graphile-worker', await createGraphileWorker(await openPool(20)), onPostgres),
  ...createContenders('pg-boss', await createPgBoss(await openPgBoss()), onPostgres),
  ...createContenders(sqliteFloor, createFloor(createSqliteStatements(openSqlite('floor.db')), 'event'), {
    readCpu: readOwnCpu,
  }),
  ...createContenders(
    inBatches(sqliteFloor),
    createFloor(createSqliteStatements(openSqlite('batches.db')), 'batch'),
    onSqlite,
  ),
  ...createContenders(
    names.sqlite,
    createInboxQueue(sqlInbox(openSqlite('inbox.db'), { concurrency })),
    onSqlite,
  ),
]
const rows = await measure(contenders, { rounds: 10, warmUpRounds: 1, count: 2_000 })
const readTime = (name: string, what: string): number => findRow(rows, `${name}, ${what}`).time
const relateToPeers = (
  what: string,
  { least, read }: { least: number; read: (name: string) => number },
): Goal => ({
  id: 'P11',
  what: `PostgreSQL, events ${what}, relative to the fastest peer`,
  result: Math.min(...peers.map(read)) / read(names.postgres),
  limit: { atLeast: least },
})
publish({
  name: 'webhooks-inbox',
  title: 'A receiver with an inbox',
  about: `CALL_AI_SUMMARY events of ${body.length} bytes, each with a different call and a random id. ${concurrency} concurrent callers of
\`receiver.accept\` store them durably (with fsync), and a handler that does nothing handles them, without HTTP or signatures. The floor runs one
insert and one update per event, on a pool of 10 connections. "In batches", it runs one of each per ${concurrency} events, like the inbox. The inbox
also parses and validates events, keeps the order of each call, recognizes two kinds of duplicates, and claims entries. graphile-worker and
pg-boss serve as an inbox, configured for throughput, without recognizing duplicates. CPU time includes PostgreSQL. Handling is measured from
event ${fetchedAhead} on, because graphile-worker fetches that many events before it calls the first handler.`,
  unit: 'per second',
  rows,
  goals: [
    relateToPeers('stored and handled', {
      least: 2.5,
      read: (name) => readTime(name, 'stored') + readTime(name, 'handled'),
    }),
    // These peers keep neither the order of a call's events nor keys.
    relateToPeers('handled', { least: 0.6, read: (name) => readTime(name, 'handled') }),
  ],
})
