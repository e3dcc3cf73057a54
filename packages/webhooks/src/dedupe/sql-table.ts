import { assertNames, assertOptions } from '../usage.ts'
import { defaultRetentionMs } from './dedupe.ts'
import { type SqlDialect, syntaxes } from './sql-database.ts'

/** Options for {@link sqlDedupeTable}. @inline */
export type SqlTableOptions = {
  /**
   * Name of the table, optionally with its schema.
   * @default 'wabakit_webhook_deliveries'
   */
  readonly table?: string | undefined
  /**
   * The database.
   * @default 'postgresql'
   */
  readonly dialect?: SqlDialect | undefined
}

/** Options for {@link sqlDedupe}. @interface */
export type SqlDedupeOptions = SqlTableOptions & {
  /**
   * Time that a handled delivery is remembered, in milliseconds.
   * @default 604_800_000 (7 days)
   */
  readonly ttlMs?: number | undefined
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier.
 */
export const readSqlOptions = (
  caller: string,
  options: SqlDedupeOptions,
  known: readonly (keyof SqlDedupeOptions)[],
) => {
  assertOptions(caller, options, known)
  const { ttlMs = defaultRetentionMs, table = 'wabakit_webhook_deliveries', dialect = 'postgresql' } = options
  if (!/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?$/i.test(table)) {
    throw new RangeError(`"${table}" is not a valid table name`)
  }
  assertNames(`a dialect of ${caller}`, { names: [dialect], known: Object.keys(syntaxes) })
  return { ttlMs, table, dialect }
}

/**
 * Returns the statement that creates the table of {@link sqlDedupe} if it does not exist, for your migrations. A row
 * whose `claimed_by` is null represents a handled delivery.
 *
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier.
 * @example
 * await pool.query(sqlDedupeTable())
 * database.exec(sqlDedupeTable({ dialect: 'sqlite' }))
 */
export const sqlDedupeTable = (options: SqlTableOptions = {}): string => {
  const { table, dialect } = readSqlOptions('sqlDedupeTable()', options, ['table', 'dialect'])
  const { key, types } = syntaxes[dialect]
  return `CREATE TABLE IF NOT EXISTS ${table} (
  ${key} ${types[0]} NOT NULL PRIMARY KEY,
  claimed_by ${types[1]},
  expires_at ${types[2]} NOT NULL
)`
}

/** Number of completions between two deletions of expired rows. */
const sweepEvery = 1_000

/** Counts completions, and occasionally runs the statement that deletes expired rows. */
export const createSweeper = (table: string, dialect: SqlDialect) => {
  const { now, returning } = syntaxes[dialect]
  let completions = 0
  return async (run: (statement: string) => Promise<unknown>): Promise<void> => {
    completions += 1
    if (completions % sweepEvery === 0)
      await run(`DELETE FROM ${table} WHERE expires_at <= ${now}${returning}`)
  }
}
