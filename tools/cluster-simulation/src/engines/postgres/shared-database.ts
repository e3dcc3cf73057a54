import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import pg from 'pg'
import { migrate } from '../../../../../packages/server/src/stores/postgres/migrate.ts'
import { prepareSession } from '../../../../../packages/server/src/stores/postgres/session.ts'

/** A PostgreSQL database in this thread. All connections share its only session. */
export type SharedDatabase = Awaited<ReturnType<typeof openEmptyDatabase>>

const tables = [
  ...['organizations', 'api_keys', 'groups', 'participants', 'calls', 'summaries', 'summary_marks'],
  ...['subscriptions', 'events', 'unfinished_deliveries', 'deliveries', 'attempts'],
  ...['workers', 'token_buckets', 'figures'],
]

const clear = `
  ${tables.map((table) => `DELETE FROM wabakit.${table};`).join('\n')}
  UPDATE wabakit.shards SET epoch = 0, owner = NULL;
  SELECT setval(schemaname || '.' || sequencename, 1, false) FROM pg_sequences WHERE schemaname = 'wabakit';
  SELECT pg_advisory_unlock_all();
  UNLISTEN *`

/**
 * Creates a database whose timers never fire. Its only timer, which writes statistics, would start in real time. As a task
 * of a run, it would make the trace depend on the speed of the machine.
 */
const createWithoutTimers = (): Promise<PGlite> => {
  const fs = new MemoryFS()
  const init = fs.init.bind(fs)
  fs.init = async (database, options) => {
    const { emscriptenOpts } = await init(database, options)
    const { instantiateWasm } = emscriptenOpts
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        instantiateWasm: (imports: { readonly env: object }, onDone: unknown) => {
          Object.assign(imports.env, { _setitimer_js: () => 0 })
          return instantiateWasm(imports, onDone)
        },
      },
    }
  }
  return PGlite.create({ fs })
}

const create = async (): Promise<{ readonly database: PGlite; readonly client: pg.Client }> => {
  const database = await createWithoutTimers()
  const client = new pg.Client(createPgConfig(database))
  await client.connect()
  await migrate(client, 'PGlite')
  await prepareSession(client, 0)
  await client.query(`CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
    RETURN current_setting('simulation.now')::bigint`)
  await client.query("SET simulation.now = '0'")
  return { database, client }
}

let shared: ReturnType<typeof create> | undefined
let stopListening = (): void => {}

/** Empties and returns the database of this thread. Its tables are created only once, because this takes seconds. */
export const openEmptyDatabase = async () => {
  shared ??= create()
  const { database, client } = await shared
  stopListening()
  await client.query(clear)
  let connections: pg.Client[] = []
  let last: Promise<unknown> = Promise.resolve()
  let clock: number | undefined
  let watcher = (_: Promise<unknown>): void => {}
  stopListening = database.onNotification((channel, payload) => {
    for (const each of connections) each.emit('notification', { channel, payload })
  })
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work)
    last = done.catch(() => {})
    watcher(last)
    return done
  }
  const send = (sql: string, values?: unknown[]) => inTurn(() => client.query(sql, values))
  return {
    /** Runs a statement. `now` is the time of the database's clock. */
    query: <Row extends pg.QueryResultRow>(
      sql: string,
      values: readonly unknown[],
      now: number,
    ): Promise<Row[]> =>
      inTurn(async () => {
        if (now !== clock) await client.query(`SET simulation.now = '${now}'`)
        clock = now
        return (await client.query<Row>(sql, [...values])).rows
      }),
    /** Sets the function that is called with the promise of each statement. */
    watch: (next: typeof watcher): void => {
      watcher = next
    },
    /** Creates a connection that gets notifications. */
    connect: (): pg.Client => {
      const connection = Object.assign(new pg.Client(), {
        query: send,
        connect: async () => {
          connections.push(connection)
        },
        end: async () => {
          connections = connections.filter((each) => each !== connection)
        },
      })
      return connection
    },
    /** Drops all connections and releases their locks. */
    disconnect: (): void => {
      void send('SELECT pg_advisory_unlock_all()')
      connections = []
    },
  }
}
