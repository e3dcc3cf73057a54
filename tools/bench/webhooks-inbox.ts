import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, type Inbox, type InboxContext, sqlInbox, unsigned } from '@wabakit/webhooks'
import { Logger, makeWorkerUtils, run as runWorker } from 'graphile-worker'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { createBatch } from '../../packages/webhooks/src/inbox/batch.ts'
import { payload } from './src/call-ai-summary.ts'
import { findPostmaster, readFamilyCpuTime } from './src/cpu-time.ts'
import { type Contender, findRow, measure, readOwnCpu } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'
import { runConcurrently } from './src/run-tasks.ts'

/** Maximum number of events that are stored or handled concurrently. */
const concurrency = 64
const body = String(payload)
const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const cluster = await createCluster({ settings: { fsync: 'on', max_connections: '200' } })
const closing: (() => Promise<unknown> | undefined)[] = []

const nextEvent = () => ({
  id: `msg_${randomUUID()}`,
  body: body.replaceAll(/"callId":"[^"]*"/g, `"callId":"${randomUUID()}"`),
})

/** Maximum number of events that a worker fetches before it calls the first handler. */
const fetchedAhead = 500

/** An inbox that stores and handles events. */
type Queue = {
  /** Stores an event durably. */
  readonly store: (event: ReturnType<typeof nextEvent>) => Promise<unknown>
  /** Handles all stored events, and calls `handled` for each. */
  readonly handleAll: (handled: () => void, count: number) => Promise<unknown>
}

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

type Event = ReturnType<typeof nextEvent>

/** The statements that a floor runs. */
type Statements = {
  readonly insert: (events: readonly Event[]) => Promise<unknown>
  readonly read: () => Promise<readonly { id: unknown; body: unknown }[]>
  readonly complete: (ids: readonly unknown[]) => Promise<unknown>
}

/** Creates a floor with one insert and one update, either per event or per batch. */
const createFloor = ({ insert, read, complete }: Statements, per: 'event' | 'batch'): Queue => {
  const storeTogether = createBatch(async (events: readonly Event[]) => {
    await insert(events)
    return events.map(() => true)
  })
  return {
    store: per === 'batch' ? storeTogether : (event) => insert([event]),
    handleAll: async (handled) => {
      for (;;) {
        const rows = await read()
        if (rows.length === 0) return
        for (const row of rows) {
          JSON.parse(String(row.body))
          handled()
        }
        const ids = rows.map(({ id }) => id)
        if (per === 'batch') await complete(ids)
        else await Promise.all(ids.map((id) => complete([id])))
      }
    },
  }
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

const openPool = async (): Promise<pg.Pool> => {
  const pool = new pg.Pool({ connectionString: await cluster.createDatabase(), max: 10 })
  // When the cluster stops, open connections report errors.
  pool.on('error', () => {})
  closing.unshift(() => pool.end())
  return pool
}

const createPostgresStatements = async (): Promise<Statements> => {
  const pool = await openPool()
  await pool.query(
    `CREATE TABLE inbox (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text UNIQUE, body bytea, state text)`,
  )
  await pool.query(`CREATE INDEX ON inbox (state, n)`)
  return {
    insert: (events) =>
      pool.query(
        `INSERT INTO inbox (id, body, state) VALUES ${events.map((_, index) => `($${2 * index + 1}, $${2 * index + 2}, 'stored')`).join(', ')} ON CONFLICT DO NOTHING`,
        events.flatMap(({ id, body }) => [id, Buffer.from(body)]),
      ),
    read: async () =>
      (
        await pool.query(
          `SELECT n AS id, body FROM inbox WHERE state = 'stored' ORDER BY n LIMIT ${concurrency}`,
        )
      ).rows,
    complete: (rows) => pool.query(`UPDATE inbox SET state = 'handled' WHERE n = ANY($1)`, [rows]),
  }
}

const openSqlite = (name: string): DatabaseSync => {
  const database = new DatabaseSync(join(folder, name))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  closing.unshift(async () => database.close())
  return database
}

const createSqliteStatements = (file: string): Statements => {
  const database = openSqlite(file)
  database.exec('CREATE TABLE inbox (n INTEGER PRIMARY KEY, id TEXT UNIQUE, body BLOB, state TEXT)')
  database.exec('CREATE INDEX due ON inbox (state, n)')
  const read = database.prepare(
    `SELECT n AS id, CAST(body AS TEXT) AS body FROM inbox WHERE state = 'stored' ORDER BY n LIMIT ${concurrency}`,
  )
  return {
    insert: async (events) =>
      database
        .prepare(
          `INSERT INTO inbox (id, body, state) VALUES ${events.map(() => `(?, ?, 'stored')`).join(', ')} ON CONFLICT DO NOTHING`,
        )
        .run(...events.flatMap(({ id, body }) => [id, Buffer.from(body)])),
    read: async () => read.all().map(({ id, body }) => ({ id, body })),
    complete: async (rows) =>
      database
        .prepare(`UPDATE inbox SET state = 'handled' WHERE n IN (${rows.map(Number).join(', ')})`)
        .run(),
  }
}

const createGraphileWorker = async (): Promise<Queue> => {
  const logger = new Logger(() => () => {})
  const connectionString = await cluster.createDatabase()
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: 20, logger })
  await utils.migrate()
  closing.unshift(async () => utils.release())
  return {
    store: (event) => utils.addJob('handle', event),
    handleAll: async (handled, count) => {
      let left = count
      const done = Promise.withResolvers<void>()
      if (Number.isNaN(count))
        return utils.withPgClient((client) => client.query('DELETE FROM graphile_worker._private_jobs'))
      const runner = await runWorker({
        taskList: {
          handle: async () => {
            handled()
            left -= 1
            if (left === 0) done.resolve()
          },
        },
        logger,
        noHandleSignals: true,
        preset: {
          worker: {
            connectionString,
            concurrentJobs: concurrency,
            maxPoolSize: 20,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      })
      await done.promise
      await runner.stop()
    },
  }
}

const createPgBoss = async (): Promise<Queue> => {
  const boss = new PgBoss({ connectionString: await cluster.createDatabase(), max: 20 })
  boss.on('error', console.error)
  await boss.start()
  await boss.createQueue('inbox', { retryBackoff: true, retryLimit: 10 })
  closing.unshift(() => boss.stop({ graceful: false }))
  return {
    store: (event) => boss.send('inbox', event),
    handleAll: async (handled, count) => {
      if (Number.isNaN(count)) return boss.deleteAllJobs('inbox')
      let left = count
      const done = Promise.withResolvers<void>()
      await boss.work(
        'inbox',
        {
          batchSize: concurrency,
          localConcurrency: 4,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: 0.5,
        },
        async (jobs) => {
          for (const _ of jobs) handled()
          left -= jobs.length
          if (left === 0) done.resolve()
        },
      )
      await done.promise
      await boss.offWork('inbox', { wait: true })
    },
  }
}

try {
  const postmaster = await findPostmaster(cluster)
  const readCpu = (): number => readOwnCpu() + readFamilyCpuTime(postmaster)
  const [postgresFloor, sqliteFloor] = ['insert and update with pg', 'insert and update with node:sqlite']
  const inBatches = (floor: string): string => `${floor}, in batches`
  const onPostgres = { readCpu, floor: postgresFloor }
  const onSqlite = { readCpu: readOwnCpu, floor: sqliteFloor }
  const names = { postgres: 'wabakit, PostgreSQL', sqlite: 'wabakit, SQLite' }
  const peers = ['graphile-worker', 'pg-boss']
  const contenders = [
    ...createContenders(postgresFloor, createFloor(await createPostgresStatements(), 'event'), { readCpu }),
    ...createContenders(
      inBatches(postgresFloor),
      createFloor(await createPostgresStatements(), 'batch'),
      onPostgres,
    ),
    ...createContenders(
      names.postgres,
      createInboxQueue(sqlInbox(await openPool(), { concurrency })),
      onPostgres,
    ),
    ...createContenders('graphile-worker', await createGraphileWorker(), onPostgres),
    ...createContenders('pg-boss', await createPgBoss(), onPostgres),
    ...createContenders(sqliteFloor, createFloor(createSqliteStatements('floor.db'), 'event'), {
      readCpu: readOwnCpu,
    }),
    ...createContenders(
      inBatches(sqliteFloor),
      createFloor(createSqliteStatements('batches.db'), 'batch'),
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
} finally {
  for (const close of closing) await close()
  await cluster.remove()
  rmSync(folder, { recursive: true })
}
