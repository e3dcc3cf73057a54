import { assertOptions } from '../usage.ts'
import { defaultRetentionMs } from './dedupe.ts'

/** Options for {@link sqlDedupe} and {@link sqlInbox}. */
export type SqlDedupeOptions = {
  /**
   * Milliseconds for which a handled delivery is remembered.
   * @default 604_800_000 (7 days)
   */
  readonly ttlMs?: number | undefined
  /**
   * Name of the table, optionally with its schema.
   * @default 'wabakit_webhook_deliveries'
   */
  readonly table?: string | undefined
}

const defaultTable = 'wabakit_webhook_deliveries'

/** @throws RangeError when `table` is not a plain identifier, optionally with a schema. */
const assertTableName = (table: string): void => {
  if (!/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?$/i.test(table)) {
    throw new RangeError(`"${table}" is not a valid table name`)
  }
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws WebhookUsageError for an unknown option.
 * @throws RangeError when `table` is not a plain identifier.
 */
export const readSqlOptions = (caller: string, options: SqlDedupeOptions) => {
  assertOptions(caller, options, ['ttlMs', 'table'])
  const { ttlMs = defaultRetentionMs, table = defaultTable } = options
  assertTableName(table)
  return { ttlMs, table }
}

/**
 * Returns the PostgreSQL statement that creates the table of {@link sqlDedupe} and {@link sqlInbox} if it does not
 * exist, for your migrations. A row whose `claimed_by` is null is a handled delivery.
 *
 * @throws RangeError when `table` is not a plain identifier.
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

/** Reads a column of a row that may be anything. */
export const readColumn = (row: unknown, column: string): unknown => Object(row)[column]

/** SQL for the time `$2` milliseconds from now, by the database's clock. */
export const later = `clock_timestamp() + $2::float8 * interval '1 millisecond'`

/** Number of completions between two deletions of expired rows. */
const sweepEvery = 1_000

/** Counts completions, and occasionally runs the statement that deletes expired rows. */
export const createSweeper = (table: string) => {
  let completions = 0
  return async (run: (statement: string) => Promise<unknown>): Promise<void> => {
    completions += 1
    if (completions % sweepEvery === 0)
      await run(`DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`)
  }
}
