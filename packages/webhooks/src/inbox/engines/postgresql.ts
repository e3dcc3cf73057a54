import {
  createQualifier,
  findSchema,
  numberPlaceholders,
  type Outcome,
  readColumn,
  readOnlyValue,
  readOutcome,
  readProperty,
} from '../../sql/sql-database.ts'
import { waitAtMost } from '../../time-limit.ts'
import {
  assertPoolSize,
  type Effects,
  type InboxEngine,
  type InboxValue,
  ignore,
  ownConnections,
  refuse,
  type Statement,
} from '../engine.ts'
import { deadlineMs, openResponsive, runOnce } from './deadline.ts'
import { createOwnConnection, holdAll } from './own-connection.ts'
import { createTransactions } from './transactions.ts'

type Result = { readonly rows: readonly unknown[]; readonly rowCount?: number | null }

/** The part of a `pg` pool's client that an inbox uses. */
export type PostgresClient = {
  query(text: string, values?: unknown[]): Promise<Result>
  on(event: 'error' | 'notification', listener: () => void): unknown
  off(event: 'error' | 'notification', listener: () => void): unknown
  release(destroy?: boolean): unknown
}

/** The part of a `pg` pool that an inbox uses. */
export type PostgresPool = {
  connect(): Promise<PostgresClient>
  query(text: string, values?: unknown[]): Promise<Result>
  readonly options?: { readonly max?: number | undefined }
}

/** The client that the pool's `connect` resolves to. */
export type ClientOf<Pool extends PostgresPool> = Pool extends {
  connect: { (): Promise<infer Client>; (callback: never): void }
}
  ? Client
  : PostgresClient

const divisionByZero = '22012'

/**
 * Errors after which a connection is of no use: it leads to a server that has become read only, as the former primary does
 * after a failover, or other code has left a failed transaction on it.
 */
const uselessCodes = ['25006', '25P02']

/** The driver threw, although its connection responds: probably a parser that was set for a type could not read a row. */
class UnreadableRowError extends Error {
  override name = 'UnreadableRowError'
}

const isBroken = (error: unknown): boolean =>
  (readProperty(error, 'severity') !== 'ERROR' && !(error instanceof UnreadableRowError)) ||
  uselessCodes.includes(String(readProperty(error, 'code')))

/**
 * Time limit for UNLISTEN, in milliseconds. If it succeeds, the connection goes back to the pool; otherwise,
 * the connection is closed.
 */
const briefMs = 2_000

/**
 * Begins a transaction that does not hold its locks for long if the network fails before its COMMIT arrives. This is a function
 * so that bundlers can drop it from a receiver without an inbox: they keep a template string with a variable even if it is unused.
 */
const beginBrief = (): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${deadlineMs}`

/**
 * Begins such a transaction, whose statements are not compiled. The cost of a statement is an estimate, and a wrong one makes
 * PostgreSQL compile it for a second. The settings end with the transaction, so they reach neither other users
 * of the connection nor other sessions of a pooler.
 */
const beginPlain = (): string => `${beginBrief()}; SET LOCAL jit = off`

/**
 * Ends a transaction that an error leaves open, and throws the error. Otherwise every later statement on the connection would
 * fail.
 */
const rollBack = async (client: PostgresClient, error: unknown): Promise<never> => {
  const responds = await client.query('ROLLBACK').then(() => true, ignore)
  if (!responds || readProperty(error, 'severity') !== undefined) throw error
  throw new UnreadableRowError(`The driver cannot read a row: ${error}`, { cause: error })
}

const inTransaction = async <Result>(
  client: PostgresClient,
  { begin, work }: { readonly begin: string; readonly work: () => Promise<Result> },
): Promise<Result> => {
  try {
    await client.query(begin)
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    return rollBack(client, error)
  }
}

/** Inlines numbers, ids and random tokens, because a message with several statements cannot have parameters. */
const inline = ({ text, values }: Statement): string => {
  let position = 0
  return text.replaceAll('?', () => {
    const value = values[position++]
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && /^[\w-]+$/.test(value)) return `'${value}'`
    throw new TypeError(`${typeof value} cannot be part of a statement`)
  })
}

const run = async (
  client: Pick<PostgresPool, 'query'>,
  text: string,
  values: readonly InboxValue[] = [],
): Promise<Outcome> => readOutcome(await client.query(numberPlaceholders(text), [...values]), 'postgresql')

/** Refuses a table with row security: its policies would hide entries, or keep them from being stored. */
const refuseRowSecurity = async (client: PostgresClient, table: string): Promise<void> => {
  const { rows } = await client.query(
    `SELECT CASE WHEN row_security_active('${table}') THEN 1 ELSE 0 END AS active`,
  )
  if (Number(readOnlyValue(rows[0])) === 0) return
  refuse(
    `Row security would hide entries of ${table}. Use a role that bypasses it, or disable it for this table.`,
  )
}

const toChannel = (table: string): string => table.toLowerCase().replaceAll(/\W/g, '_').slice(0, 63)

export const createPostgresEngine = <Pool extends PostgresPool>(
  pool: Pool,
  table: string,
): InboxEngine<ClientOf<Pool>, never> => {
  const { max = 10 } = pool.options ?? {}
  assertPoolSize(max)
  const channel = toChannel(table)
  const addSchema = createQualifier(table)
  /** The schema in which the table was found or created. */
  let schema: string | undefined
  const qualify = (text: string): string => addSchema(text, schema)
  const execute = (client: PostgresClient, text: string, values?: readonly InboxValue[]): Promise<Outcome> =>
    run(client, qualify(text), values)
  const listeners = new Set<() => void>()
  const wake = (): void => {
    for (const listener of listeners) listener()
  }
  type Connection = { readonly client: PostgresClient; readonly onError: () => void; isListening: boolean }
  const listen = (connection: Connection): Promise<unknown> => {
    connection.isListening = true
    return connection.client.query(`LISTEN ${channel}`)
  }

  const connections = {
    connect: async () => {
      const client = await pool.connect()
      // When a connection breaks, its next statement fails. Without a listener, the error would also end the process.
      client.on('error', ignore)
      return client
    },
    check: async (client: PostgresClient) => {
      // In a single statement without a transaction, both times are the same.
      const { rows } =
        await client.query(`SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 2
        WHEN now() <> statement_timestamp() THEN 3 ELSE 1 END AS state`)
      const state = Number(readOnlyValue(rows[0]))
      if (state === 2)
        throw new Error('The database is read only. Is it a standby, or no longer the primary?')
      // What is stored in a transaction that other code has left open may be rolled back later.
      if (state === 3) await client.query('ROLLBACK')
    },
    isBroken,
    close: (client: PostgresClient, destroy: boolean): void => {
      // A broken connection keeps its listener, because it may raise another error.
      if (!destroy) client.off('error', ignore)
      client.release(destroy)
    },
  }

  const storing = createOwnConnection<PostgresClient>({
    open: () => openResponsive(connections),
    close: connections.close,
    isBroken,
  })

  /** Claims wait for claims of other processes, and storing must not wait with them. */
  const claiming = createOwnConnection<Connection>({
    open: async () => {
      const client = await openResponsive(connections)
      const connection = { client, onError: () => claiming.replace(connection), isListening: false }
      client.on('error', connection.onError)
      client.on('notification', wake)
      try {
        if (listeners.size > 0) await listen(connection)
        return connection
      } catch (error) {
        connections.close(client, true)
        throw error
      }
    },
    close: async ({ client, onError, isListening }, broken) => {
      if (broken) return connections.close(client, true)
      const unlisten = async () => Boolean(await client.query('UNLISTEN *'))
      const isQuiet = !isListening || (await waitAtMost(briefMs, unlisten).catch(() => false))
      client.off('notification', wake)
      client.off('error', onError)
      connections.close(client, !isQuiet)
    },
    isBroken,
  })

  const begin = createTransactions<PostgresClient>({
    // Leaves two connections for the inbox, which may have to reconnect while handlers occupy the other connections.
    limit: max - ownConnections,
    connect: connections.connect,
    begin: async (client) => {
      // A handler may wait long for something else. Its connection is checked in another way.
      const result: unknown = await client.query(
        'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_backend_pid() AS id',
      )
      const { rows } = Object([result].flat().at(-1))
      return Number(readOnlyValue(Object(rows)[0]))
    },
    isSilent: async (client, connectionId) => {
      const isWaiting = () => readProperty(client, 'readyForQuery') === false
      if (!isWaiting() || Number.isNaN(connectionId)) return false
      const text = `SELECT 1 FROM pg_stat_activity
        WHERE pid = ? AND NOT (state LIKE 'idle%' AND state_change < clock_timestamp() - interval '10 seconds')`
      const isBusy = await claiming.use(async (connection) => {
        return (await execute(connection.client, text, [connectionId])).count > 0
      })
      return !isBusy && isWaiting()
    },
    commit: async (client, completion) => {
      try {
        // Sends one message, so that a process that is paused or killed never holds the entry's lock. If the
        // claim was lost, no row is completed, and dividing by the number of rows fails before COMMIT.
        await client.query(
          `WITH completed AS (${qualify(inline(completion))}) SELECT 1 / count(*) FROM completed; COMMIT`,
        )
        return true
      } catch (error) {
        if (readProperty(error, 'code') === divisionByZero) return false
        throw error
      }
    },
    close: connections.close,
  })

  /**
   * Takes the lock of the table if an entry is due, by inserting a row with a unique key. Another process that
   * inserts it waits for the end of this transaction, which deletes it, so the row is never committed. Only
   * roles that may write the table can hold this lock, while any role of the database can hold an advisory lock.
   */
  const lock = (condition: string): string =>
    `INSERT INTO ${table} (id, event_key, source, state, due_at, received_at) OVERRIDING SYSTEM VALUE
      SELECT -1, 'lock', 'inbox', 'lock', 0, 0 WHERE EXISTS (SELECT 1 FROM ${table} WHERE ${condition})`
  const unlock = `DELETE FROM ${table} WHERE event_key = 'lock'`

  /** The condition that this transaction has the lock, whose row no other transaction sees. */
  const holdsLock = `EXISTS (SELECT 1 FROM ${table} WHERE event_key = 'lock')`

  /** Runs a statement that checks `holdsLock`, while no process claims entries. The lock is taken if the condition is met. */
  const exclusively = (statement: Statement, condition: string): Promise<Outcome> =>
    claiming.use(async ({ client }) => {
      // Each statement sees what was committed before it started, so the lock must be taken first. A claim
      // need not be synced: if the database crashes and forgets it, the entry is claimed again.
      const text = `${beginPlain()}; SET LOCAL synchronous_commit = off; SET LOCAL enable_seqscan = off;
        SET LOCAL enable_bitmapscan = off;
        ${lock(condition)}; ${inline(statement)}; ${unlock}; COMMIT`
      const ran: Promise<unknown> = client.query(qualify(text))
      const results = await ran.catch((error) => rollBack(client, error))
      if (!Array.isArray(results))
        throw new TypeError('The pool must run several statements at once, as pg does.')
      return readOutcome(results.at(-3), 'postgresql')
    })

  return {
    dialect: 'postgresql',
    run: (...statement) => storing.use((client) => execute(client, ...statement)),
    isDue: (condition) =>
      claiming.use(async ({ client }) => {
        const text = `SELECT 1 WHERE current_setting('transaction_read_only') = 'on' OR ${condition}`
        return (await execute(client, text)).count > 0
      }),
    // `pick` reads the index `_due` (state, due_at, id) in its order, one state at a time, so it meets no handled row.
    claim: async ({ token, due, pick, set, columns, next }) => {
      const text = `WITH picked AS MATERIALIZED (${pick.text})
        ${next === undefined ? '' : `, advanced AS (UPDATE ${table} SET due_at = received_at WHERE id IN (${next}))`}
        UPDATE ${table} SET ${set.text}, token = ? WHERE id IN (SELECT id FROM picked) AND ${holdsLock} RETURNING ${columns}`
      return (await exclusively({ text, values: [...pick.values, ...set.values, token] }, due)).rows
    },
    postpone: async ({ due, pick }) => {
      const text = `UPDATE ${table} e SET due_at = p.due_at FROM (${pick}) p WHERE e.id = p.id AND ${holdsLock} RETURNING e.id`
      return (await exclusively({ text, values: [] }, due)).count
    },
    query: (...statement) =>
      runOnce(connections, (client) =>
        inTransaction(client, { begin: beginPlain(), work: () => execute(client, ...statement) }),
      ),
    create: (statements) =>
      runOnce(connections, async (client) => {
        const find = () =>
          findSchema((...statement) => run(client, ...statement), { dialect: 'postgresql', table })
        const found = await find()
        if (found === undefined) {
          try {
            await inTransaction(client, { begin: beginBrief(), work: () => client.query(statements) })
          } catch (error) {
            // IF NOT EXISTS does not notice that another process is creating the table.
            if ((await find()) === undefined) throw error
          }
        } else await refuseRowSecurity(client, table)
        schema = await find()
      }),
    hold: () => holdAll([storing, claiming]),
    announcement: `pg_notify('${channel}', '')`,
    listen: (listener) => {
      listeners.add(listener)
      claiming.use(listen).catch(ignore)
      return () => void listeners.delete(listener)
    },
    // The client has the type that the caller's pool declares.
    begin: begin as () => Effects<ClientOf<Pool>, never>,
    findWeakness: async () => {
      const settings = `SELECT current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync`
      const { rows } = await runOnce(connections, (client) => execute(client, settings))
      const weak = ['synchronous_commit', 'fsync'].filter((name) => readColumn(rows[0], name) === 'off')
      return weak.length === 0 ? undefined : weak.map((name) => `${name}=off`).join(' and ')
    },
    // Errors of class 40 are mostly deadlocks and serialization failures: another transaction caused the rollback,
    // so a retry may succeed.
    isTransient: (error) => isBroken(error) || String(readProperty(error, 'code')).startsWith('40'),
    isMissingTable: (error) => readProperty(error, 'code') === '42P01',
  }
}
