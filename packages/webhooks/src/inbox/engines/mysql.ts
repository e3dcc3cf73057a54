import { createQualifier, findSchema, quote, readColumn, readProperty } from '../../sql/sql-database.ts'
import { assertPoolSize, type Effects, type InboxEngine, ownConnections, refuse } from '../engine.ts'
import { readText } from '../read-entry.ts'
import { toName } from '../table.ts'
import { openResponsive, runOnce } from './deadline.ts'
import { createMysqlClaims } from './mysql-claims.ts'
import {
  assertWritable,
  execute,
  isReadOnly,
  type MysqlConnection,
  type MysqlPool,
} from './mysql-statements.ts'
import { createOwnConnection, holdAll } from './own-connection.ts'
import { createTransactions } from './transactions.ts'

/** The connection that the pool's `getConnection` resolves to. */
export type ConnectionOf<Pool extends MysqlPool> = Awaited<ReturnType<Pool['getConnection']>>

/**
 * Seconds after which the server ends a session that has fallen silent in a completion. Claims skip its locks, so it can be longer
 * than theirs: while another handler computes without a pause, the COMMIT is not sent. If that takes longer than this, the completion
 * is rolled back, and the attempt fails.
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

/** Reads the flags that MySQL sends with the result of a statement without rows. */
const readStatus = (result: unknown) => {
  const status = Number(readProperty(Object(result)[0], 'serverStatus') ?? 2)
  return { isInTransaction: (status & 1) !== 0, isAutocommit: (status & 2) !== 0 }
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
  const { claim, postpone } = createMysqlClaims({
    table,
    claiming,
    qualify,
    getWaitTimeout: (connection) => waitTimeouts.get(connection),
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
    claim,
    postpone,
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
