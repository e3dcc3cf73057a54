import {
  createQualifier,
  createRunner,
  findSchema,
  quote,
  readOnlyValue,
  type SqlClient,
  type SqlDialect,
  type SqliteDatabase,
  type SqlQuery,
  type SqlValue,
  syntaxes,
} from '../sql/sql-database.ts'
import { toStoredMs } from '../time-limit.ts'
import { assertAboveZero, assertNames, assertOptions, assertTableName } from '../usage.ts'
import { type Claim, type Dedupe, defaultRetentionMs, type RetentionOptions } from './dedupe.ts'

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
export type SqlDedupeOptions = SqlTableOptions & RetentionOptions

const readOptions = (
  caller: string,
  options: SqlDedupeOptions,
  known: readonly (keyof SqlDedupeOptions)[],
) => {
  assertOptions(caller, options, known)
  const { ttlMs = defaultRetentionMs, table = 'wabakit_webhook_deliveries', dialect = 'postgresql' } = options
  assertAboveZero('ttlMs', ttlMs)
  assertTableName(table)
  assertNames(`a dialect of ${caller}`, { names: [dialect], known: Object.keys(syntaxes) })
  return { ttlMs: toStoredMs(ttlMs), table, dialect }
}

/**
 * Returns the statement that creates the table of {@link sqlDedupe} if it does not exist, for your
 * migrations. A row whose `claimed_by` is null represents a handled delivery.
 *
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier, with or without a schema.
 * @example
 * await pool.query(sqlDedupeTable())
 * database.exec(sqlDedupeTable({ dialect: 'sqlite' }))
 */
export const sqlDedupeTable = (options: SqlTableOptions = {}): string => {
  const { table, dialect } = readOptions('sqlDedupeTable()', options, ['table', 'dialect'])
  const { key, types } = syntaxes[dialect]
  return `CREATE TABLE IF NOT EXISTS ${table} (
  ${key} ${types[0]} NOT NULL PRIMARY KEY,
  claimed_by ${types[1]},
  expires_at ${types[2]} NOT NULL
)`
}

/** Number of completions between two deletions of expired rows. */
const sweepEvery = 1_000

/**
 * Remembers deliveries in a table ({@link sqlDedupeTable}) of PostgreSQL, SQLite, MySQL or MariaDB, for any
 * number of processes. It uses the database's clock, and deletes expired rows periodically.
 *
 * @param database - a pool or client of `pg` or `mysql2/promise`, a database of `node:sqlite` or
 *   `better-sqlite3`, or a function that runs one statement. It must not be in a transaction, because other
 *   processes would not see the claims.
 * @throws WebhookUsageError for an unknown option or dialect, or a `database` that cannot run statements.
 * @throws RangeError when `table` is not a plain identifier (with or without a schema), or `ttlMs` is not above 0.
 * @example
 * createReceiver({ verify, dedupe: sqlDedupe(pool) })
 * createReceiver({ verify, dedupe: sqlDedupe(database, { dialect: 'sqlite' }) })
 */
export const sqlDedupe = (
  database: SqlQuery | SqlClient | SqliteDatabase,
  options: SqlDedupeOptions = {},
): Dedupe => {
  const { ttlMs, table, dialect } = readOptions('sqlDedupe()', options, ['ttlMs', 'table', 'dialect'])
  const runAsIs = createRunner(database, dialect)
  const addSchema = createQualifier(table)
  let schema: Promise<string | undefined> | undefined
  const find = async (): Promise<string | undefined> => {
    if (dialect === 'sqlite' || table.includes('.')) return undefined
    const found = await findSchema(runAsIs, { dialect, table })
    return dialect === 'mysql' && found !== undefined ? quote(found) : found
  }
  const run = async (text: string, values: SqlValue[]) => {
    schema ??= find()
    const found = await schema.catch(() => undefined)
    // Looks it up again next time if the table does not exist yet, or the database did not respond.
    if (found === undefined) schema = undefined
    return runAsIs(addSchema(text, found), values)
  }
  const { key: column, now, later, insert, returning } = syntaxes[dialect]
  // Starts at a random number, so that rows are deleted even if every process ends before `sweepEvery` completions.
  let completions = Math.floor(Math.random() * sweepEvery)

  const change = async (statement: string, values: SqlValue[]): Promise<boolean> =>
    (await run(statement + returning, values)).count > 0

  const insertIfAbsent = async (key: string, lifetimeMs: number, token: string | null): Promise<boolean> => {
    const [start, end] = insert
    const statement = `${start} ${table} (${column}, expires_at, claimed_by) VALUES (?, ${later('?')}, ?)${end}`
    return (await run(statement, [key, lifetimeMs, token])).count > 0
  }

  const update = `UPDATE ${table} SET expires_at = ${later('?')}`
  const held = `WHERE ${column} = ? AND claimed_by = ?`
  const createClaim = (key: string, token: string): Claim => ({
    renew: (claimMs) => change(`${update} ${held}`, [toStoredMs(claimMs), key, token]),
    complete: async () => {
      const completed =
        (await change(`${update}, claimed_by = NULL ${held}`, [ttlMs, key, token])) ||
        (await insertIfAbsent(key, ttlMs, null))
      completions += 1
      if (completions % sweepEvery === 0) await change(`DELETE FROM ${table} WHERE expires_at <= ${now}`, [])
      return completed
    },
    release: () => change(`DELETE FROM ${table} ${held}`, [key, token]),
  })

  return {
    claim: async (key, ms) => {
      const claimMs = toStoredMs(ms)
      const token = crypto.randomUUID()
      const claimed =
        (await insertIfAbsent(key, claimMs, token)) ||
        (await change(`${update}, claimed_by = ? WHERE ${column} = ? AND expires_at <= ${now}`, [
          claimMs,
          token,
          key,
        ]))
      if (claimed) return createClaim(key, token)
      // Returns a number, because drivers can be set to convert null and text.
      const holder = 'CASE WHEN claimed_by IS NULL THEN 1 ELSE 2 END'
      const { rows } = await run(`SELECT ${holder} AS holder FROM ${table} WHERE ${column} = ?`, [key])
      const found = Number(readOnlyValue(rows[0]))
      if (found === 1) return 'duplicate'
      if (found === 2) return 'in_progress'
      throw new Error(`The row for "${key}" in ${table} can neither be inserted nor read.`)
    },
  }
}
