import type { Claim, Dedupe } from './dedupe.ts'
import {
  createRunner,
  readColumn,
  type SqlClient,
  type SqliteDatabase,
  type SqlQuery,
  type SqlValue,
  syntaxes,
} from './sql-database.ts'
import { createSweeper, readSqlOptions, type SqlDedupeOptions } from './sql-table.ts'

/**
 * Remembers deliveries in a table ({@link sqlDedupeTable}) of PostgreSQL, SQLite, MySQL or MariaDB, for any number of
 * processes. It uses the database's clock, and deletes expired rows periodically.
 *
 * @param database - a pool or client of `pg` or `mysql2/promise`, a database of `node:sqlite` or `better-sqlite3`, or a
 *   function that runs one statement. It must not be in a transaction, because other processes would not see the
 *   claims.
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier.
 * @example
 * createReceiver({ verify, dedupe: sqlDedupe(pool) })
 * createReceiver({ verify, dedupe: sqlDedupe(database, { dialect: 'sqlite' }) })
 */
export const sqlDedupe = (
  database: SqlQuery | SqlClient | SqliteDatabase,
  options: SqlDedupeOptions = {},
): Dedupe => {
  const { ttlMs, table, dialect } = readSqlOptions('sqlDedupe()', options, ['ttlMs', 'table', 'dialect'])
  const run = createRunner(database, dialect)
  const sweep = createSweeper(table, dialect)
  const { key: column, now, later, insert, returning } = syntaxes[dialect]

  /** Runs a statement and resolves to whether it changed a row. */
  const change = async (statement: string, values: SqlValue[]): Promise<boolean> =>
    (await run(statement + returning, values)).count > 0

  const insertIfAbsent = async (key: string, lifetimeMs: number, token: string | null): Promise<boolean> => {
    const [start, end] = insert
    const statement = `${start} ${table} (${column}, expires_at, claimed_by) VALUES (?, ${later('?')}, ?)${end}`
    return (await run(statement, [key, lifetimeMs, token])).count > 0
  }

  const createClaim = (key: string, token: string): Claim => ({
    renew: (claimMs) =>
      change(`UPDATE ${table} SET expires_at = ${later('?')} WHERE ${column} = ? AND claimed_by = ?`, [
        claimMs,
        key,
        token,
      ]),
    complete: async () => {
      const completed =
        (await change(
          `UPDATE ${table} SET claimed_by = NULL, expires_at = ${later('?')} WHERE ${column} = ? AND claimed_by = ?`,
          [ttlMs, key, token],
        )) || (await insertIfAbsent(key, ttlMs, null))
      await sweep((statement) => run(statement, []))
      return completed
    },
    release: () => change(`DELETE FROM ${table} WHERE ${column} = ? AND claimed_by = ?`, [key, token]),
  })

  return {
    claim: async (key, claimMs) => {
      const token = crypto.randomUUID()
      const claimed =
        (await insertIfAbsent(key, claimMs, token)) ||
        (await change(
          `UPDATE ${table} SET claimed_by = ?, expires_at = ${later('?')} WHERE ${column} = ? AND expires_at <= ${now}`,
          [token, claimMs, key],
        ))
      if (claimed) return createClaim(key, token)
      const { rows } = await run(`SELECT claimed_by FROM ${table} WHERE ${column} = ?`, [key])
      const holder = readColumn(rows[0], 'claimed_by')
      if (holder === null) return 'duplicate'
      if (typeof holder === 'string') return 'in_progress'
      throw new Error(`The row for "${key}" in ${table} can neither be inserted nor read.`)
    },
  }
}
