import type { ClaimOutcome, Dedupe } from './dedupe.ts'
import { defaultRetentionMs } from './retention.ts'

/** Runs one parameterised statement of PostgreSQL (`$1`, `$2`) and resolves to its rows. */
export type SqlQuery = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>

/** What is needed of a pool or a client of `pg`. */
export type SqlClient = { query: SqlQuery }

/** Options of {@link sqlDedupe}. */
export type SqlDedupeOptions = {
  /**
   * Milliseconds for which a handled delivery is remembered.
   * @default 604_800_000 (7 days)
   */
  readonly ttlMs?: number
  /**
   * Name of the table, with its schema if needed.
   * @default 'wabakit_webhook_deliveries'
   */
  readonly table?: string
}

const defaultTable = 'wabakit_webhook_deliveries'

const named = (table: string): string => {
  if (/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?$/i.test(table)) return table
  throw new RangeError(`"${table}" is not the name of a table`)
}

/**
 * The statement that makes the table of {@link sqlDedupe}, for your migrations; it may be run again.
 *
 * @throws RangeError when `table` is not a plain name.
 * @example
 * await pool.query(sqlDedupeTable())
 */
export const sqlDedupeTable = (table: string = defaultTable): string =>
  `CREATE TABLE IF NOT EXISTS ${named(table)} (
  key text PRIMARY KEY,
  done boolean NOT NULL,
  expires_at timestamptz NOT NULL
)`

/** Completions between two sweeps of what has expired. */
const sweepEvery = 1_000

const isOutcome = (value: unknown): value is ClaimOutcome =>
  value === 'claimed' || value === 'duplicate' || value === 'in_progress'

const outcomeOf = (row: unknown): ClaimOutcome => {
  const outcome = typeof row === 'object' && row !== null && 'outcome' in row ? row.outcome : undefined
  if (isOutcome(outcome)) return outcome
  throw new TypeError('The query function of sqlDedupe did not resolve to { rows } as that of pg does.')
}

/**
 * Remembers deliveries in a table of PostgreSQL ({@link sqlDedupeTable}), for any number of processes, by the
 * database's clock. What has expired is deleted along the way.
 *
 * @param query - a pool or a client of `pg`, or a function that runs one statement.
 * @throws RangeError when `table` is not a plain name.
 * @example
 * createReceiver({ verify, dedupe: sqlDedupe(pool) })
 */
export const sqlDedupe = (query: SqlQuery | SqlClient, options: SqlDedupeOptions = {}): Dedupe => {
  const { ttlMs = defaultRetentionMs } = options
  const table = named(options.table ?? defaultTable)
  const run: SqlQuery = typeof query === 'function' ? query : (text, values) => query.query(text, values)
  const later = (parameter: string) => `clock_timestamp() + ${parameter} * interval '1 millisecond'`
  let completions = 0

  return {
    claim: async (key, claimMs) => {
      const { rows } = await run(
        `WITH claim AS (
           INSERT INTO ${table} AS known (key, done, expires_at) VALUES ($1, false, ${later('$2::float8')})
           ON CONFLICT (key) DO UPDATE SET done = false, expires_at = excluded.expires_at
           WHERE known.expires_at <= clock_timestamp()
           RETURNING 1
         )
         SELECT CASE
           WHEN EXISTS (SELECT 1 FROM claim) THEN 'claimed'
           WHEN (SELECT done FROM ${table} WHERE key = $1) THEN 'duplicate'
           ELSE 'in_progress'
         END AS outcome`,
        [key, claimMs],
      )
      return outcomeOf(rows[0])
    },
    complete: async (key) => {
      await run(
        `INSERT INTO ${table} (key, done, expires_at) VALUES ($1, true, ${later('$2::float8')})
         ON CONFLICT (key) DO UPDATE SET done = true, expires_at = excluded.expires_at`,
        [key, ttlMs],
      )
      completions += 1
      if (completions % sweepEvery === 0) {
        await run(`DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`, [])
      }
    },
    release: (key) => run(`DELETE FROM ${table} WHERE key = $1 AND NOT done`, [key]),
  }
}
