import { type Outcome, readColumn, readOutcome, readProperty } from '../../dedupe/sql-database.ts'
import {
  assertPoolSize,
  type Claiming,
  type Effects,
  type InboxEngine,
  type InboxValue,
  ignore,
  ownConnections,
  refuse,
  toPlaceholders,
} from '../engine.ts'
import { openResponsive, runOnce } from './deadline.ts'
import { createOwnConnection, holdAll } from './own-connection.ts'
import { createTransactions } from './transactions.ts'

/** Some values are Buffers. The type does not name `Buffer`, because projects may not have the types of Node.js. */
type Execute = (statement: { sql: string }, values: never[]) => Promise<unknown[]>

/** Undoes the settings of a pool that change the form of rows and values. */
const settings = {
  rowsAsArray: false,
  nestTables: false,
  bigNumberStrings: false,
  typeCast: (_: unknown, next: () => unknown) => next(),
}

/** The part of a `mysql2/promise` connection that an inbox uses. */
export type MysqlConnection = {
  execute: Execute
  query(text: string): Promise<unknown[]>
  release(): unknown
  destroy(): unknown
}

/** The part of a `mysql2/promise` pool that an inbox uses. */
export type MysqlPool = {
  getConnection(): Promise<MysqlConnection>
  execute: Execute
}

/** The connection that the pool's `getConnection` resolves to. */
export type ConnectionOf<Pool extends MysqlPool> = Awaited<ReturnType<Pool['getConnection']>>

/** Errors that no longer occur once another transaction or client has finished. */
const transientCodes = [
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
]

const isBroken = (error: unknown): boolean =>
  typeof readProperty(error, 'sqlState') !== 'string' || readProperty(error, 'fatal') === true

const toParameter = (value: InboxValue) => (ArrayBuffer.isView(value) ? Buffer.from(value) : value)

/** Translates a statement of the inbox for MySQL, which has no RETURNING and needs a number after LIMIT. */
const translate = (text: string, values: readonly InboxValue[]) => {
  const parameters: ReturnType<typeof toParameter>[] = []
  let position = 0
  const translated = text
    .replace(/\s+RETURNING \w+$/, '')
    .replace('ON CONFLICT (event_key) DO NOTHING', 'ON DUPLICATE KEY UPDATE id = id')
    .replaceAll(/(LIMIT )?\?/g, (placeholder, limit?: string) => {
      const value = values[position++]
      if (limit !== undefined) return `LIMIT ${Number(value)}`
      parameters.push(toParameter(value ?? null))
      return placeholder
    })
  return [{ ...settings, sql: translated }, parameters as never[]] as const
}

const execute = async (
  connection: Pick<MysqlPool, 'execute'>,
  text: string,
  values: readonly InboxValue[] = [],
): Promise<Outcome> => readOutcome(await connection.execute(...translate(text, values)), 'mysql')

const toState = (row: unknown): string =>
  ['id', 'state', 'due_at'].map((column) => String(readColumn(row, column))).join()

/** Claims rows. The caller holds a lock, so no other process claims rows at the same time. */
const claim = async (
  connection: MysqlConnection,
  { table, token, pick, set, columns }: Claiming,
): Promise<readonly unknown[]> => {
  const found = await execute(connection, pick.text, pick.values)
  const picked = new Map(found.rows.map((row) => [toState(row), String(readColumn(row, 'id'))]))
  const among = (ids: readonly string[]) => `WHERE id IN (${toPlaceholders(ids)})`
  if (picked.size === 0) return []
  await connection.query('START TRANSACTION')
  try {
    // Skips rows that are being completed, because waiting for their locks would hold up every claim. Also
    // skips rows that have changed since they were picked.
    const values = [...picked.values()]
    const text = `SELECT id, state, due_at FROM ${table} ${among(values)} FOR UPDATE SKIP LOCKED`
    const { rows } = await execute(connection, text, values)
    const ids = rows.flatMap((row) => picked.get(toState(row)) ?? [])
    if (ids.length > 0) {
      const update = `UPDATE ${table} SET ${set.text}, token = ? ${among(ids)}`
      await execute(connection, update, [...set.values, token, ...ids])
    }
    await connection.query('COMMIT')
    if (ids.length === 0) return []
    return (await execute(connection, `SELECT ${columns} FROM ${table} ${among(ids)}`, ids)).rows
  } catch (error) {
    await connection.query('ROLLBACK').catch(ignore)
    throw error
  }
}

/** Reads the maximum number of connections, which is not part of mysql2's public interface. */
const readLimit = (pool: MysqlPool): number =>
  Number(readProperty(readProperty(readProperty(pool, 'pool'), 'config'), 'connectionLimit') ?? 10)

/** Runs an inbox on MySQL or MariaDB. */
export const createMysqlEngine = <Pool extends MysqlPool>(
  pool: Pool,
  table: string,
): InboxEngine<ConnectionOf<Pool>, never> => {
  if (typeof readProperty(pool, 'promise') === 'function') {
    refuse('This pool takes callbacks. Pass pool.promise(), or a pool of mysql2/promise.')
  }
  const limit = readLimit(pool)
  assertPoolSize(limit)
  const connections = {
    connect: () => pool.getConnection(),
    check: (connection: MysqlConnection) => connection.query('DO 0'),
    close: (connection: MysqlConnection, destroy: boolean) =>
      destroy ? connection.destroy() : connection.release(),
  }
  const createOwn = () =>
    createOwnConnection<MysqlConnection>({
      open: () => openResponsive(connections),
      close: connections.close,
      isBroken,
    })
  // Claims wait for claims of other processes, and storing must not wait with them.
  const [storing, claiming] = [createOwn(), createOwn()]
  /** The name of the table's lock. Lock names are global to the server, and have at most 64 characters. */
  const lock = `MD5(CONCAT(DATABASE(), '.${table}'))`

  const begin = createTransactions<MysqlConnection>({
    limit: limit - ownConnections,
    connect: connections.connect,
    isSilent: async (connection, connectionId) => {
      // Reads the connection's current command, which is not part of mysql2's public interface.
      const isWaiting = () => Boolean(readProperty(readProperty(connection, 'connection'), '_command'))
      if (!isWaiting()) return false
      const text = `SELECT 1 FROM information_schema.processlist
        WHERE id = ? AND NOT (command = 'Sleep' AND time >= 10)`
      const isBusy = await claiming.use(
        async (other) => (await execute(other, text, [connectionId])).count > 0,
      )
      return !isBusy && isWaiting()
    },
    begin: async (connection) => {
      // A deadlock rolls the transaction back. If a handler hid that error, later statements would be committed
      // without the earlier ones. Releasing the savepoint fails unless this is still the same transaction.
      await connection.query('SET autocommit = 0')
      await connection.query('START TRANSACTION')
      await connection.query('SAVEPOINT wabakit')
      const { rows } = await execute(connection, 'SELECT CONNECTION_ID() AS id')
      return Number(readColumn(rows[0], 'id'))
    },
    commit: async (connection, { text, values }) => {
      await connection.query('RELEASE SAVEPOINT wabakit')
      const { count } = await execute(connection, text, values)
      if (count === 0) return false
      await connection.query('COMMIT')
      await connection.query('SET autocommit = 1').catch(ignore)
      return true
    },
    close: connections.close,
  })
  const query: InboxEngine['query'] = (...statement) =>
    runOnce(connections, (connection) => execute(connection, ...statement))

  return {
    dialect: 'mysql',
    run: (...statement) => storing.use((connection) => execute(connection, ...statement)),
    claim: (wanted) =>
      claiming.use(async (connection) => {
        const [taken] = (await execute(connection, `SELECT GET_LOCK(${lock}, 5) AS taken`)).rows
        if (Number(readColumn(taken, 'taken')) !== 1) throw new Error('Another process is claiming entries.')
        try {
          return await claim(connection, wanted)
        } finally {
          await connection.query(`DO RELEASE_LOCK(${lock})`).catch(ignore)
        }
      }),
    query,
    create: (text) => query(text),
    hold: () => holdAll([storing, claiming]),
    // The connection has the type that the caller's pool declares.
    begin: begin as () => Effects<ConnectionOf<Pool>, never>,
    findWeakness: async () => {
      const { rows } = await query('SELECT @@innodb_flush_log_at_trx_commit AS flush')
      const flush = Number(readColumn(rows[0], 'flush'))
      return flush === 1 ? undefined : `innodb_flush_log_at_trx_commit=${flush}`
    },
    isTransient: (error) => isBroken(error) || transientCodes.includes(String(readProperty(error, 'code'))),
  }
}
