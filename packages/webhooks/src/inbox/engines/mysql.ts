import {
  createQualifier,
  findSchema,
  type Outcome,
  quote,
  readColumn,
  readOutcome,
  readProperty,
} from '../../sql/sql-database.ts'
import {
  assertPoolSize,
  type Claiming,
  type Effects,
  type InboxEngine,
  type InboxValue,
  ownConnections,
  type Postponing,
  refuse,
  toPlaceholders,
} from '../engine.ts'
import { readText } from '../read-entry.ts'
import { toName } from '../table.ts'
import { openResponsive, runOnce } from './deadline.ts'
import { createOwnConnection, holdAll } from './own-connection.ts'
import { createTransactions } from './transactions.ts'

/** Some values are Buffers. The type does not name `Buffer`, because projects may not have the types of Node.js. */
type Execute = (statement: { sql: string }, values: never[]) => Promise<unknown[]>

/** Undoes settings of a pool that change the form of rows and values. */
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

/**
 * Seconds after which the server ends a session that has fallen silent in a claim, and releases its lock. Shorter than
 * `deadlineMs`, so that claims of other processes, which wait for the lock, do not time out.
 */
const claimSilenceSeconds = 5

/**
 * The same in a completion. Claims skip its locks, so it can be longer: while another handler computes without a pause, the
 * COMMIT is not sent. If that takes longer than this, the completion is rolled back, and the attempt fails.
 */
const completionSilenceSeconds = 10

/** Errors that no longer occur once another transaction or client has finished, or the server has restarted. */
const transientCodes = [
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
]

/** Errors of a server that has become read only, as the former primary does after a failover. */
const readOnlyCodes = [
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
]

const isBroken = (error: unknown): boolean =>
  typeof readProperty(error, 'sqlState') !== 'string' ||
  readProperty(error, 'fatal') === true ||
  readOnlyCodes.includes(String(readProperty(error, 'code')))

const isMissingTable = (error: unknown): boolean => readProperty(error, 'code') === 'ER_NO_SUCH_TABLE'

/**
 * Settings that change what statements do: a commit would begin another transaction, a claim would read uncommitted rows,
 * the syntax would be Oracle's, updates without a key would fail, or long results would be cut off.
 */
const refusedSettings = `
  (Variable_name = 'completion_type' AND Value NOT IN ('NO_CHAIN', '0'))
  OR (Variable_name IN ('transaction_isolation', 'tx_isolation') AND Value = 'READ-UNCOMMITTED')
  OR (Variable_name = 'sql_mode' AND Value LIKE '%ORACLE%')
  OR (Variable_name = 'sql_safe_updates' AND Value = 'ON')
  OR (Variable_name = 'sql_select_limit' AND Value + 0 < 1000000)`

const isReadOnly = '@@read_only + @@innodb_read_only AS is_read_only'

const assertWritable = (row: unknown): void => {
  if (Number(readColumn(row, 'is_read_only')) > 0)
    throw new Error('The database is read only. Is it a replica, or no longer the primary?')
}

/** Reads the flags that MySQL sends with the result of a statement without rows. */
const readStatus = (result: unknown) => {
  const status = Number(readProperty(Object(result)[0], 'serverStatus') ?? 2)
  return { isInTransaction: (status & 1) !== 0, isAutocommit: (status & 2) !== 0 }
}

const toParameter = (value: InboxValue) => (ArrayBuffer.isView(value) ? Buffer.from(value) : value)

/** Translates a statement of the inbox for MySQL, which has no RETURNING and needs a number after LIMIT. */
const translate = (text: string, values: readonly InboxValue[]) => {
  const parameters: ReturnType<typeof toParameter>[] = []
  let position = 0
  const translated = text
    .replace(/\s+RETURNING \w+$/, '')
    .replace('ON CONFLICT (event_key) DO NOTHING', 'ON DUPLICATE KEY UPDATE id = id')
    .replace('ON CONFLICT (event_key) DO UPDATE SET', 'ON DUPLICATE KEY UPDATE')
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

const readIds = ({ rows }: Outcome): string[] =>
  rows.flatMap((row) => {
    const id = readColumn(row, 'id')
    return id === null ? [] : [String(id)]
  })

/** Claims rows, and returns their ids. The caller holds the lock, so no other process claims rows at the same time. */
const claim = async (
  connection: MysqlConnection,
  { table, token, pick, set, next }: Omit<Claiming, 'columns' | 'due'>,
): Promise<string[]> => {
  const found = await execute(connection, pick.text, pick.values)
  const picked = new Map(found.rows.map((row) => [toState(row), String(readColumn(row, 'id'))]))
  if (picked.size === 0) return []
  const among = (ids: readonly string[]) => `WHERE id IN (${toPlaceholders(ids)})`
  // Skips rows that are being completed, because waiting for their locks would hold up every claim. Also
  // skips rows that have changed since they were picked.
  const text = `SELECT id, state, due_at FROM ${table} ${among([...picked.values()])} FOR UPDATE SKIP LOCKED`
  const { rows } = await execute(connection, text, [...picked.values()])
  const ids = rows.flatMap((row) => picked.get(toState(row)) ?? [])
  if (ids.length === 0) return []
  await execute(connection, `UPDATE ${table} SET ${set.text}, token = ? ${among(ids)}`, [
    ...set.values,
    token,
    ...ids,
  ])
  if (next === undefined) return ids
  // MySQL refuses to update a table that a subquery of the same statement reads.
  const following = `WITH picked AS (SELECT id FROM ${table} ${among(ids)}) ${next}`
  const late = readIds(await execute(connection, following, ids))
  if (late.length > 0) {
    const advance = `UPDATE ${table} SET due_at = received_at ${among(late)} AND state = 'stored' AND due_at > received_at`
    await execute(connection, advance, late)
  }
  return ids
}

const postpone = async (
  connection: MysqlConnection,
  { table, pick }: Omit<Postponing, 'due'>,
): Promise<string[]> => {
  const { rows } = await execute(connection, pick)
  const byTime = Map.groupBy(rows, (row) => String(readColumn(row, 'due_at')))
  for (const [dueAt, group] of byTime) {
    const ids = readIds({ rows: group, count: group.length })
    const text = `UPDATE ${table} SET due_at = ? WHERE id IN (${toPlaceholders(ids)}) AND state = 'stored'`
    await execute(connection, text, [dueAt, ...ids])
  }
  return readIds({ rows, count: rows.length })
}

/** Reads the maximum number of connections, which is not part of mysql2's public interface. */
const readLimit = (pool: MysqlPool): number =>
  Number(readProperty(readProperty(readProperty(pool, 'pool'), 'config'), 'connectionLimit') ?? 10)

export const createMysqlEngine = <Pool extends MysqlPool>(
  pool: Pool,
  table: string,
): InboxEngine<ConnectionOf<Pool>, never> => {
  if (typeof readProperty(pool, 'promise') === 'function') {
    refuse('This pool takes callbacks. Pass pool.promise(), or a pool of mysql2/promise.')
  }
  const limit = readLimit(pool)
  assertPoolSize(limit)
  /** Connections on which the inbox has switched autocommit on. They go back to the pool as they were. */
  const switched = new WeakSet<MysqlConnection>()
  /** The `wait_timeout` of each session, in seconds, while claims and completions shorten it. */
  const waitTimeouts = new WeakMap<MysqlConnection, number>()
  const connections = {
    connect: () => pool.getConnection(),
    /** Makes the connection usable, and returns its id. */
    check: async (connection: MysqlConnection): Promise<number> => {
      const text = `SELECT ${isReadOnly}, CONNECTION_ID() AS id, @@wait_timeout AS wait_timeout`
      const [row] = (await execute(connection, text)).rows
      assertWritable(row)
      waitTimeouts.set(connection, Number(readColumn(row, 'wait_timeout')))
      const { isInTransaction, isAutocommit } = readStatus(await connection.query('DO 0'))
      // What is stored in a transaction that other code has left open may be rolled back later.
      if (isInTransaction) await connection.query('ROLLBACK')
      if (!isAutocommit) {
        await connection.query('SET autocommit = 1')
        switched.add(connection)
      }
      return Number(readColumn(row, 'id'))
    },
    close: (connection: MysqlConnection, destroy: boolean): void => {
      if (destroy) connection.destroy()
      else if (switched.delete(connection)) {
        connection.query('SET autocommit = 0').then(
          () => connection.release(),
          () => connection.destroy(),
        )
      } else connection.release()
    },
    isBroken,
  }
  const createOwn = () =>
    createOwnConnection<MysqlConnection>({
      open: () => openResponsive(connections),
      close: connections.close,
      isBroken,
    })
  // Claims wait for claims of other processes, and storing must not wait with them.
  const [storing, claiming] = [createOwn(), createOwn()]
  const addSchema = createQualifier(table)
  const name = toName(table)
  /** The database in which the table was found or created. */
  let schema = table.includes('.') ? table.slice(0, -name.length - 1) : undefined
  const qualify = (text: string): string => addSchema(text, schema && quote(schema))
  /** The index of lanes. A migration may have given it another name. */
  let laneIndex: string | undefined
  /**
   * Works in a transaction that has the lock of the table, if a row meets the condition. The lock is a row that is never
   * committed, because only users who may write the table can insert it, while any user can take a named lock. Its key is
   * random, because inserting a key that the unique index has held before would also lock the keys beside it.
   *
   * If this process or its network is gone, the server ends the session after `claimSilenceSeconds`, and with it the lock.
   */
  const exclusively = (
    due: string,
    work: (connection: MysqlConnection, place: string) => Promise<string[]>,
  ): Promise<string[]> =>
    claiming.use(async (connection) => {
      const place = qualify(`FROM ${table}`).slice(5)
      // A claim that finds nothing writes nothing, so it would never notice that its server has become read only.
      const state = `SELECT ${isReadOnly}, EXISTS (SELECT 1 FROM ${place} WHERE ${due}) AS is_due`
      const [row] = (await execute(connection, state)).rows
      assertWritable(row)
      if (Number(readColumn(row, 'is_due')) === 0) return []
      // A connection that cannot be set back must neither keep the lock nor return to the pool.
      const replace = () => claiming.replace(connection)
      try {
        await connection.query(`SET SESSION wait_timeout = ${claimSilenceSeconds}`)
        // On a stricter level, each row that the claim only reads would be locked.
        await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
        await connection.query('START TRANSACTION')
        // Waits for another process. A plain insert would wait for a shared lock, and deadlock with others that wait.
        const lock = `INSERT INTO ${place} (id, event_key, source, state, due_at, received_at)
          VALUES (-1, ?, 'inbox', 'lock', 0, 0) ON DUPLICATE KEY UPDATE id = id`
        await execute(connection, lock, [crypto.randomUUID()])
        const ids = await work(connection, place)
        if (ids.length > 0) await execute(connection, `DELETE FROM ${place} WHERE id = -1`)
        await connection.query(ids.length > 0 ? 'COMMIT' : 'ROLLBACK')
        return ids
      } catch (error) {
        await connection.query('ROLLBACK').catch(replace)
        // A row has changed between the reading and the locking of the same transaction (innodb_snapshot_isolation).
        if (readProperty(error, 'code') === 'ER_CHECKREAD') return []
        throw error
      } finally {
        const reset = `SET SESSION wait_timeout = ${waitTimeouts.get(connection)}`
        await connection.query(reset).catch(replace)
      }
    })

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
      const id = await connections.check(connection)
      // A deadlock rolls the transaction back. If a handler hid that error, later statements would be committed
      // without the earlier ones. Releasing the savepoint fails unless this is still the same transaction.
      await connection.query('SET autocommit = 0')
      await connection.query('START TRANSACTION')
      await connection.query('SAVEPOINT wabakit')
      return id
    },
    commit: async (connection, { text, values }) => {
      await connection.query('RELEASE SAVEPOINT wabakit')
      // If the network fails before the commit, the entry stays locked until the server ends the session.
      await connection.query(`SET SESSION wait_timeout = ${completionSilenceSeconds}`)
      const { count } = await execute(connection, qualify(text), values)
      if (count === 0) return false
      await connection.query('COMMIT')
      const reset = `SET autocommit = 1, SESSION wait_timeout = ${waitTimeouts.get(connection)}`
      // The event is handled, but other code must not get the connection with our settings.
      await connection.query(reset).catch(() => connection.destroy())
      return true
    },
    close: connections.close,
  })
  const query: InboxEngine['query'] = (text, values) =>
    runOnce(connections, (connection) => execute(connection, qualify(text), values))

  return {
    dialect: 'mysql',
    // Without it, MySQL would read all entries of a state to find those of one lane.
    byLane: () => (laneIndex === undefined ? '' : `FORCE INDEX (${quote(laneIndex)})`),
    run: (text, values) => storing.use((connection) => execute(connection, qualify(text), values)),
    isDue: (condition) =>
      claiming.use(async (connection) => {
        const text = `SELECT 1 FROM (SELECT ${isReadOnly}) server WHERE is_read_only > 0 OR ${condition}`
        return (await execute(connection, qualify(text))).count > 0
      }),
    claim: async ({ due, columns, ...wanted }) => {
      const ids = await exclusively(due, (connection, place) =>
        claim(connection, {
          ...wanted,
          table: place,
          pick: { ...wanted.pick, text: qualify(wanted.pick.text) },
          ...(wanted.next !== undefined && { next: qualify(wanted.next) }),
        }),
      )
      if (ids.length === 0) return []
      const text = `SELECT ${columns} FROM ${table} WHERE id IN (${toPlaceholders(ids)})`
      const { rows } = await claiming.use((connection) => execute(connection, qualify(text), ids))
      return rows
    },
    postpone: async ({ due, pick }) => {
      const ids = await exclusively(due, (connection, place) =>
        postpone(connection, { table: place, pick: qualify(pick) }),
      )
      return ids.length
    },
    query,
    create: async (text) => {
      const refused = (await query(`SHOW VARIABLES WHERE ${refusedSettings}`)).rows[0]
      if (refused !== undefined) {
        const [variable, value] = ['Variable_name', 'Value'].map((column) => readColumn(refused, column))
        refuse(
          `sqlInbox() cannot use this pool, because its sessions have ${variable}=${value}. Open one without it for the inbox.`,
        )
      }
      // The user may have no right to create tables, which MySQL checks even if the table exists.
      const isThere = await query(`SELECT 1 FROM ${table} LIMIT 0`).then(
        () => true,
        (error) => !isMissingTable(error) && Promise.reject(error),
      )
      if (!isThere) await query(text)
      if (!table.includes('.')) schema = await findSchema(query, { dialect: 'mysql', table })
      const indexes = await query(
        `SHOW INDEX FROM ${table} WHERE Seq_in_index = 1 AND Column_name = 'subject'`,
      )
      laneIndex = readText(indexes.rows[0], 'Key_name')
    },
    hold: () => holdAll([storing, claiming]),
    // The connection has the type that the caller's pool declares.
    begin: begin as () => Effects<ConnectionOf<Pool>, never>,
    findWeakness: async () => {
      const { rows } = await query('SELECT @@innodb_flush_log_at_trx_commit AS flush')
      const flush = Number(readColumn(rows[0], 'flush'))
      return flush === 1 ? undefined : `innodb_flush_log_at_trx_commit=${flush}`
    },
    isTransient: (error) => isBroken(error) || transientCodes.includes(String(readProperty(error, 'code'))),
    isMissingTable,
  }
}
