import { readColumn, readProperty } from '../../sql/sql-database.ts'
import { type Claiming, type InboxEngine, type Postponing, toPlaceholders } from '../engine.ts'
import { assertWritable, execute, isReadOnly, type MysqlConnection, readIds } from './mysql-statements.ts'
import type { createOwnConnection } from './own-connection.ts'

/**
 * Seconds after which the server ends a session that has fallen silent in a claim, and releases its lock. Shorter than
 * `deadlineMs`, so that claims of other processes, which wait for the lock, do not time out.
 */
const claimSilenceSeconds = 5

const toState = (row: unknown): string =>
  ['id', 'state', 'due_at'].map((column) => String(readColumn(row, column))).join()

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

type ClaimContext = {
  readonly table: string
  /** The connection of claims. */
  readonly claiming: ReturnType<typeof createOwnConnection<MysqlConnection>>
  /** Adds the name of the database to the table in a statement. */
  readonly qualify: (text: string) => string
  /** Returns the `wait_timeout` that a session had before a claim, in seconds. */
  readonly getWaitTimeout: (connection: MysqlConnection) => number | undefined
}

/** Creates what only one process at a time may do: claiming rows and postponing them. */
export const createMysqlClaims = ({
  table,
  claiming,
  qualify,
  getWaitTimeout,
}: ClaimContext): Pick<InboxEngine, 'claim' | 'postpone'> => {
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
        const reset = `SET SESSION wait_timeout = ${getWaitTimeout(connection)}`
        await connection.query(reset).catch(replace)
      }
    })

  return {
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
  }
}
