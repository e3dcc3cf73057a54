/** The table of deliveries where none is named. */
export const defaultTable = 'wabakit_webhook_deliveries'

/** @throws RangeError when `table` is not a plain name, with its schema if needed. */
export const assertTableName = (table: string): void => {
  if (!/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?$/i.test(table)) {
    throw new RangeError(`"${table}" is not the name of a table`)
  }
}

/**
 * Returns the PostgreSQL statement that makes the table of {@link sqlDedupe} and {@link sqlInbox}, for your
 * migrations; it may be run again. A row whose `claimed_by` is null is a handled delivery.
 *
 * @throws RangeError when `table` is not a plain name.
 * @example
 * await pool.query(sqlDedupeTable())
 */
export const sqlDedupeTable = (table: string = defaultTable): string => {
  assertTableName(table)
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  claimed_by text,
  expires_at timestamptz NOT NULL
)`
}

/** SQL for the time `$2` milliseconds from now, by the database's clock. */
export const later = `clock_timestamp() + $2::float8 * interval '1 millisecond'`

/** Completions between two sweeps of what has expired. */
const sweepEvery = 1_000

/** Counts completions, and calls `sweep` with the statement that deletes what has expired once in a while. */
export const createSweeper = (table: string) => {
  let completions = 0
  return async (run: (statement: string) => Promise<unknown>): Promise<void> => {
    completions += 1
    if (completions % sweepEvery === 0)
      await run(`DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`)
  }
}
