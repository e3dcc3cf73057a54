import { createHash, randomUUID } from 'node:crypto'
import { StorageUnavailableError } from '@wabakit/core'
import pg from 'pg'
import { formatAddress } from './database-address.ts'
import { noticeLostWorkers } from './functions/workers.ts'
import { migrate } from './migrate.ts'
import { createNotifications } from './notifications.ts'
import { toOpenError } from './open-error.ts'
import { createPrimary } from './primary.ts'
import type { Query } from './query.ts'
import { createQueueChanges, type QueueChanges } from './queue-changes.ts'
import { prepareSession } from './session.ts'
import { createSocket } from './socket.ts'
import {
  isDemoted,
  isLost,
  isOutdated,
  poolerMessage,
  toReadError,
  toStorageError,
  toUnavailable,
} from './storage-errors.ts'
import { listWarnings } from './warnings.ts'
import { createWorker, type Worker } from './worker.ts'

/** Options for {@link openPostgres}. */
export type PostgresOptions = {
  /**
   * `postgres://user:password@host:5432/database`, with libpq parameters such as `?sslmode=verify-full`. If it names
   * several hosts (`host1:5432,host2:5432`), the one that accepts writes is used, as with
   * `target_session_attrs=read-write`.
   */
  readonly url: string
  /**
   * Maximum number of connections for statements, at least 1. An additional connection listens if this process delivers
   * or streams events.
   * @default 10
   */
  readonly maxConnections?: number | undefined
  /**
   * Maximum time to connect, and to wait for a free connection, in milliseconds.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Maximum duration of a statement, in milliseconds. If there is still no response 2 seconds later, its connection is
   * closed.
   * @default 10_000
   */
  readonly statementTimeoutMs?: number | undefined
  /**
   * Receives errors of background work, such as a broken idle connection or a listener that must reconnect.
   * @default console.error
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * Receives warnings for the operator, such as a warning that the server runs with `fsync` off.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** An open database. */
export type PostgresDatabase = {
  /**
   * Runs a statement in its own transaction.
   *
   * @throws StorageUnavailableError if the database failed, and nothing was changed.
   * @throws StorageOutcomeUnknownError if the change may have been committed.
   * @throws RecordNotFoundError if a function requires a record that does not exist.
   * @throws pg.DatabaseError if the database rejects the statement for another reason, such as a constraint.
   */
  readonly query: Query
  /**
   * Runs a statement that only reads or can safely be repeated.
   *
   * @throws StorageUnavailableError if there is no result.
   */
  readonly read: Query
  readonly queueChanges: QueueChanges
  readonly worker: Worker
  close(): Promise<void>
}

const silenceMs = 2_000

/**
 * How long other requests that need a new connection fail with the same error after a failure to connect, in milliseconds.
 * PostgreSQL starts a process for each connection that it refuses, and thousands of them delay its stop and
 * its recovery.
 */
const refusedMs = 100

const readBackend = async (client: pg.Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid

/**
 * Checks that a connection has its own session, as required by prepared statements, LISTEN and session locks. Behind a
 * pooler in transaction mode, two concurrent connections get the same session.
 *
 * @throws Error if the connection shares a session.
 */
const checkSession = async (client: pg.Client, connection: pg.ClientConfig): Promise<void> => {
  const other = new pg.Client(connection)
  other.on('error', () => {})
  try {
    await other.connect()
    if ((await readBackend(client)) === (await readBackend(other))) throw new Error(poolerMessage)
  } finally {
    other.end().catch(() => {})
  }
}

/**
 * Migrates a database. If this process stops midway, PostgreSQL ends its transaction after `timeoutMs`.
 *
 * @returns warnings about the database's server.
 */
const prepareDatabase = async (
  connection: pg.ClientConfig & { readonly connectionString: string },
  timeoutMs: number,
): Promise<string[]> => {
  const client = new pg.Client(connection)
  const address = formatAddress(connection.connectionString)
  client.on('error', () => {})
  try {
    await client.connect()
    await checkSession(client, connection)
    await client.query(`SET idle_in_transaction_session_timeout = ${timeoutMs}`)
    await migrate(client, address)
    await prepareSession(client, timeoutMs)
    // Runs this as early as possible, because the shards of lost workers become free 2 seconds later.
    await client.query(noticeLostWorkers)
    return await listWarnings(client, address)
  } catch (error) {
    throw toOpenError(error, address)
  } finally {
    client.end().catch(() => {})
  }
}

/**
 * Returns names for statements, so that each connection parses a statement only once. A name contains a hash of the
 * statement: if a pooler makes processes share a connection anyway, they cannot run each other's statements by mistake.
 */
const createStatementNames = (): ((sql: string) => string) => {
  const names = new Map<string, string>()
  return (sql) => {
    const name = names.get(sql) ?? `wabakit_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
    return name
  }
}

/**
 * Connects to PostgreSQL and migrates its schema. Any number of processes may call it concurrently. Broken connections
 * are replaced later.
 *
 * @throws RangeError if a number is not above 0.
 * @throws DatabaseOpenError if the database cannot be reached or used.
 * @throws DatabaseVersionError if a newer version has contracted the schema, so that this one cannot use it.
 */
export const openPostgres = async ({
  url,
  maxConnections = 10,
  connectTimeoutMs = 5_000,
  statementTimeoutMs = 10_000,
  onError = console.error,
  onWarning = console.warn,
}: PostgresOptions): Promise<PostgresDatabase> => {
  for (const [name, value] of Object.entries({ maxConnections, connectTimeoutMs, statementTimeoutMs })) {
    if (typeof value !== 'number' || !(value > 0))
      throw new RangeError(`${name} must be above 0, not ${String(value)}`)
  }
  const connection = {
    connectionString: url,
    application_name: 'wabakit',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    stream: () => createSocket(connectTimeoutMs),
  }
  const primary = createPrimary(connection)
  const connectTo = (connectionString: string) => ({ ...connection, connectionString })
  await primary.find().catch((error: unknown) => {
    throw toOpenError(error, formatAddress(url))
  })
  for (const warning of await prepareDatabase(connectTo(primary.address()), statementTimeoutMs)) {
    onWarning(warning)
  }

  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    allowExitOnIdle: true,
    query_timeout: statementTimeoutMs + silenceMs,
    onConnect: async (client) => {
      // If all connections are distrusted in the meantime, this server may have been the primary only before that.
      const current = trusted
      await prepareSession(client, statementTimeoutMs)
      current.add(client)
    },
  })
  /** The connections that were opened since a server was last found to be no longer the primary. */
  let trusted = new WeakSet<pg.ClientBase>()
  /**
   * Closes each connection before its next use. It may lead to the same server: a connection that is used only to read never fails
   * there, and shows what that server knows.
   */
  const distrustAll = (): void => {
    trusted = new WeakSet()
    notifications.check()
  }
  /** Looks for the primary after a connection has failed. */
  const findPrimary = async (error: unknown): Promise<void> => {
    if (isDemoted(error)) distrustAll()
    const former = primary.address()
    await primary.find().catch(() => {})
    if (primary.address() !== former) distrustAll()
  }
  pool.on('connect', (client) => {
    // Ignores errors of a connection in use, because its statement reports them. The pool handles those of idle ones only.
    client.on('error', () => {})
  })
  let isClosed = false
  // Uses only the message, because the error refers to the connection, whose password must not be logged.
  pool.on('error', ({ message }) => {
    if (!isClosed) onError(new StorageUnavailableError(`A connection to PostgreSQL broke: ${message}`))
  })
  const getName = createStatementNames()

  /** The last failure to connect, and the time until which no connection is attempted. */
  let refusal: { readonly error: unknown; readonly until: number } | undefined

  /** Connects to the primary, even if it has moved to another host. */
  const connect = async (): Promise<pg.PoolClient> => {
    const mustConnect = pool.idleCount === 0 && pool.totalCount < maxConnections
    if (mustConnect && refusal !== undefined && performance.now() < refusal.until)
      throw toUnavailable(refusal.error)
    const tried = primary.address()
    pool.options.connectionString = tried
    try {
      const client = await pool.connect()
      if (trusted.has(client)) return client
      client.release(true)
      return connect()
    } catch (error) {
      await findPrimary(error)
      if (primary.address() !== tried) return connect()
      refusal = { error, until: performance.now() + refusedMs }
      throw toUnavailable(error)
    }
  }

  const query: PostgresDatabase['query'] = async <Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ) => {
    const client = await connect()
    try {
      const { rows } = await client.query<Row>({ name: getName(text), text, values: [...values] })
      client.release()
      return rows
    } catch (error) {
      const failure = toStorageError(error, true)
      // A connection stays usable if the statement itself was at fault. After a failure of the database, its state may be
      // unknown, so the connection is closed.
      client.release(isLost(failure))
      // No result of an attempt can be stored any more, so attempts must end before the lease does.
      if (isOutdated(failure)) queueChanges.emitLost()
      if (isDemoted(error)) distrustAll()
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
    connect: () => new pg.Client({ ...connectTo(primary.address()), query_timeout: statementTimeoutMs }),
    onError: (error) => {
      void findPrimary(error)
      onError(error)
    },
  })
  const messaging = {
    notifications,
    notify: async (channel: string, payload: string) => {
      await query('SELECT pg_notify($1, $2)', [channel, payload])
    },
    sender: randomUUID(),
  }
  const queueChanges = createQueueChanges({ ...messaging, read })
  const worker = createWorker({
    notifications,
    queueChanges,
    prepare: (client) => prepareSession(client, statementTimeoutMs),
  })

  return {
    query,
    read,
    queueChanges,
    worker,
    close: async () => {
      isClosed = true
      worker.end()
      queueChanges.close()
      notifications.close()
      await pool.end()
    },
  }
}
