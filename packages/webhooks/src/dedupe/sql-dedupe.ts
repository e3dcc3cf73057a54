import type { Claim, Dedupe } from './dedupe.ts'
import { createSweeper, later, readColumn, readSqlOptions, type SqlDedupeOptions } from './sql-table.ts'

/** Runs one parameterized PostgreSQL statement (`$1`, `$2`) and resolves to its rows. */
export type SqlQuery = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>

/** The required part of a pool or a client of `pg`. */
export type SqlClient = { query: SqlQuery }

/**
 * Remembers deliveries in a PostgreSQL table ({@link sqlDedupeTable}), for any number of processes. It uses the clock of
 * the database, and deletes expired rows from time to time.
 *
 * @param query - a pool or a client of `pg`, or a function that runs one statement.
 * @throws RangeError when `table` is not a plain identifier.
 * @example
 * createReceiver({ verify, dedupe: sqlDedupe(pool) })
 */
export const sqlDedupe = (query: SqlQuery | SqlClient, options: SqlDedupeOptions = {}): Dedupe => {
  const { ttlMs, table } = readSqlOptions('sqlDedupe()', options)
  const run: SqlQuery = typeof query === 'function' ? query : (text, values) => query.query(text, values)
  const sweep = createSweeper(table)

  const createClaim = (key: string, token: string): Claim => ({
    renew: async (claimMs) => {
      const { rows } = await run(
        `UPDATE ${table} SET expires_at = ${later} WHERE key = $1 AND claimed_by = $3 RETURNING 1`,
        [key, claimMs, token],
      )
      return rows.length > 0
    },
    complete: async () => {
      const { rows } = await run(
        `INSERT INTO ${table} AS known (key, expires_at) VALUES ($1, ${later})
         ON CONFLICT (key) DO UPDATE SET claimed_by = NULL, expires_at = excluded.expires_at
         WHERE known.claimed_by = $3
         RETURNING 1`,
        [key, ttlMs, token],
      )
      await sweep((statement) => run(statement, []))
      return rows.length > 0
    },
    release: () => run(`DELETE FROM ${table} WHERE key = $1 AND claimed_by = $2`, [key, token]),
  })

  return {
    claim: async (key, claimMs) => {
      const token = crypto.randomUUID()
      const { rows } = await run(
        `WITH claim AS (
           INSERT INTO ${table} AS known (key, expires_at, claimed_by) VALUES ($1, ${later}, $3)
           ON CONFLICT (key) DO UPDATE SET claimed_by = excluded.claimed_by, expires_at = excluded.expires_at
           WHERE known.expires_at <= clock_timestamp()
           RETURNING 1
         )
         SELECT CASE
           WHEN EXISTS (SELECT 1 FROM claim) THEN 'claimed'
           WHEN (SELECT claimed_by IS NULL FROM ${table} WHERE key = $1) THEN 'duplicate'
           ELSE 'in_progress'
         END AS outcome`,
        [key, claimMs, token],
      )
      const outcome = readColumn(rows[0], 'outcome')
      if (outcome === 'duplicate' || outcome === 'in_progress') return outcome
      if (outcome === 'claimed') return createClaim(key, token)
      throw new TypeError('The query function of sqlDedupe must resolve to { rows }, as that of pg does.')
    },
  }
}
