import { randomUUID } from 'node:crypto'
import { StorageUnavailableError } from '@wabakit/core'
import pg from 'pg'
import { type AttemptFeed, createAttemptFeed } from './attempt-feed.ts'
import { addressOf } from './database-address.ts'
import { createDueChannel, type DueChannel } from './due-channel.ts'
import { describeDurability } from './durability.ts'
import { migrate } from './migrate.ts'
import { createNotifications } from './notifications.ts'
import { toOpenError } from './open-error.ts'
import { isLost, toReadError, toStorageError, toUnavailable } from './postgres-failure.ts'
import { prepareSession } from './session.ts'
import { createWorker, type Worker } from './worker.ts'

/** Options of {@link openPostgres}. */
export type PostgresOptions = {
  /** `postgres://user:password@host:5432/database`, with the parameters of libpq such as `?sslmode=verify-full`. */
  readonly url: string
  /**
   * Most connections of this process for statements, at least 1. One more listens, where somebody waits for due
   * deliveries or follows attempts.
   * @default 10
   */
  readonly maxConnections?: number | undefined
  /**
   * Longest time to connect, and to wait for a free connection, in milliseconds.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Longest time of a statement, in milliseconds; disabling or removing what has a long backlog may take 60 times as
   * long. A connection that stays silent for 2 seconds more is given up.
   * @default 10_000
   */
  readonly statementTimeoutMs?: number | undefined
  /**
   * Gets what went wrong in the background: a connection that broke while nobody used it, a listener that has to
   * connect again.
   * @default console.error
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * Gets what the operator should know, such as that the server runs with `fsync` off.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** How {@link PostgresDatabase.query} does it. */
export type QueryOptions = {
  /** For statements that may have to change very many rows. */
  readonly isLong?: boolean
}

/** An open database with our schema. */
export type PostgresDatabase = {
  /**
   * Does one statement in a transaction of its own.
   *
   * @throws StorageUnavailableError when it was not done.
   * @throws StorageOutcomeUnknownError when it may have been committed.
   */
  query<Row extends pg.QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Row[]>
  /**
   * Does one statement that reads, or whose effect does not matter to anybody who repeats it.
   *
   * @throws StorageUnavailableError when there is no result.
   */
  read<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  readonly due: DueChannel
  readonly attempts: AttemptFeed
  readonly worker: Worker
  close(): Promise<void>
}

const silenceMs = 2_000
const longFactor = 60

/**
 * Brings a database up to date. Should this process fall silent meanwhile, others may, after `patienceMs`.
 *
 * @returns warnings about its server.
 */
const prepareDatabase = async (
  connection: pg.ClientConfig & { readonly connectionString: string },
  patienceMs: number,
): Promise<string[]> => {
  const client = new pg.Client(connection)
  const address = addressOf(connection.connectionString)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`SET idle_in_transaction_session_timeout = ${patienceMs}`)
    await migrate(client, address)
    return await describeDurability(client, address)
  } catch (error) {
    throw toOpenError(error, address)
  } finally {
    client.end().catch(() => {})
  }
}

/** Names of statements, so that a connection parses each only once. */
const createStatementNames = (): ((sql: string) => string) => {
  const names = new Map<string, string>()
  return (sql) => {
    const name = names.get(sql) ?? `wabakit_${names.size + 1}`
    names.set(sql, name)
    return name
  }
}

/**
 * Connects to PostgreSQL and brings its schema up to date; any number of processes may do so at once. From then on
 * connections are made again as they break.
 *
 * @throws DatabaseOpenError when it cannot be reached or used.
 * @throws DatabaseVersionError when its schema is newer than this software.
 */
export const openPostgres = async ({
  url,
  maxConnections = 10,
  connectTimeoutMs = 5_000,
  statementTimeoutMs = 10_000,
  onError = console.error,
  onWarning = console.warn,
}: PostgresOptions): Promise<PostgresDatabase> => {
  const connection = {
    connectionString: url,
    application_name: 'wabakit',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
  for (const warning of await prepareDatabase(connection, statementTimeoutMs)) onWarning(warning)

  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    allowExitOnIdle: true,
    query_timeout: statementTimeoutMs + silenceMs,
    onConnect: (client) => prepareSession(client, statementTimeoutMs),
  })
  // While a connection is in use its pool does not listen; what breaks it, its statement is told.
  pool.on('connect', (client) => client.on('error', () => {}))
  let isClosed = false
  // The error carries the connection with all it knows, which is nothing for a log.
  pool.on('error', ({ message }) => {
    if (!isClosed) onError(new StorageUnavailableError(`A connection to PostgreSQL broke: ${message}`))
  })
  const nameOf = createStatementNames()

  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      throw toUnavailable(error)
    }
  }

  const runLong = async <Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    text: string,
    values: unknown[],
    onCommit: () => void,
  ) => {
    const limit = statementTimeoutMs * longFactor
    await client.query('BEGIN')
    await client.query(`SET LOCAL statement_timeout = ${limit}`)
    const config = { text, values, query_timeout: limit + silenceMs }
    const result = await client.query<Row>(config)
    onCommit()
    await client.query('COMMIT')
    return result
  }

  const query: PostgresDatabase['query'] = async <Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    { isLong = false }: QueryOptions = {},
  ) => {
    const client = await connect()
    let isCommitPossible = !isLong
    const onCommit = (): void => {
      isCommitPossible = true
    }
    try {
      const { rows } = isLong
        ? await runLong<Row>(client, text, [...values], onCommit)
        : await client.query<Row>({ name: nameOf(text), text, values: [...values] })
      client.release()
      return rows
    } catch (error) {
      const failure = toStorageError(error, isCommitPossible)
      // After a refusal of one statement the connection is as good as before; otherwise nobody knows.
      client.release(isLong || isLost(failure))
      throw failure
    }
  }

  const read: PostgresDatabase['read'] = async <Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ) => {
    try {
      return await query<Row>(text, values)
    } catch (error) {
      throw toReadError(error)
    }
  }

  const notifications = createNotifications({
    connect: () => new pg.Client({ ...connection, query_timeout: statementTimeoutMs }),
    onError,
  })
  const messaging = {
    notifications,
    notify: async (channel: string, payload: string) => {
      await query('SELECT pg_notify($1, $2)', [channel, payload])
    },
    sender: randomUUID(),
  }
  const due = createDueChannel(messaging)
  const attempts = createAttemptFeed(messaging)
  const worker = createWorker({
    notifications,
    query,
    due,
    prepare: (client) => prepareSession(client, statementTimeoutMs),
  })

  return {
    query,
    read,
    due,
    attempts,
    worker,
    close: async () => {
      isClosed = true
      due.close()
      attempts.close()
      notifications.close()
      await pool.end()
    },
  }
}
