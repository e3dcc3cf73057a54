import { WebhookUsageError } from '../errors.ts'

/** A kind of database. Use `mysql` for MariaDB, and `sqlite` for D1, Durable Objects, libSQL and Bun. */
export type SqlDialect = 'postgresql' | 'sqlite' | 'mysql'

type Syntax = {
  /** The column `key`, quoted where necessary. */
  readonly key: string
  readonly types: readonly [key: string, claimedBy: string, expiresAt: string]
  /** The current time according to the database's clock. */
  readonly now: string
  /** Returns the expression for the time that is `milliseconds` from now. */
  readonly later: (milliseconds: string) => string
  /** The start and the end of an INSERT that does nothing if the key exists. */
  readonly insert: readonly [start: string, end: string]
  /** The clause that makes a statement return one row for each row that it changes, or an empty string. */
  readonly returning: string
}

const returning = ' RETURNING 1'
const insert = ['INSERT INTO', ' ON CONFLICT (key) DO NOTHING RETURNING 1'] as const

export const syntaxes: Readonly<Record<SqlDialect, Syntax>> = {
  postgresql: {
    key: 'key',
    types: ['text', 'text', 'timestamptz'],
    now: 'clock_timestamp()',
    later: (milliseconds) => `clock_timestamp() + ${milliseconds}::float8 * interval '1 millisecond'`,
    insert,
    returning,
  },
  sqlite: {
    key: 'key',
    types: ['text', 'text', 'real'],
    now: `unixepoch('subsec') * 1000`,
    later: (milliseconds) => `unixepoch('subsec') * 1000 + ${milliseconds}`,
    insert,
    returning,
  },
  mysql: {
    key: '`key`',
    // Keys are bytes, because comparisons of text may ignore case and trailing spaces.
    types: ['varbinary(800)', 'varchar(36)', 'datetime(6)'],
    now: 'utc_timestamp(6)',
    later: (milliseconds) => `utc_timestamp(6) + INTERVAL ${milliseconds} * 1000 MICROSECOND`,
    insert: ['INSERT IGNORE INTO', ''],
    returning: '',
  },
}

/** A value in a statement. @inline */
export type SqlValue = string | number | null

/** The rows of a statement, an object with `rows`, or the pair that `mysql2` resolves to. */
export type SqlResult = { readonly rows: readonly unknown[] } | readonly unknown[]

/**
 * Runs one statement with its values. The placeholders are `$1`, `$2` and so on in PostgreSQL, and `?` in
 * SQLite and MySQL.
 */
export type SqlQuery = (text: string, values: SqlValue[]) => SqlResult | Promise<SqlResult>

/** Accepts a pool or client of `pg`, or a pool or connection of `mysql2/promise`. */
export type SqlClient = { query(text: string, values: SqlValue[]): Promise<SqlResult> }

/** Accepts a `DatabaseSync` of `node:sqlite`, or a `Database` of `better-sqlite3`. */
export type SqliteDatabase = { prepare(text: string): { all(...values: SqlValue[]): readonly unknown[] } }

/** The rows that a statement returned, and the number of rows that it returned or changed. */
export type Outcome = { readonly rows: readonly unknown[]; readonly count: number }

/** Converts a row that is an array to an object with the names of its columns. */
const toNamed = (row: unknown, fields: unknown): unknown =>
  Array.isArray(row) && Array.isArray(fields)
    ? Object.fromEntries(row.map((value, index) => [String(Object(fields[index]).name), value]))
    : row

/** Reads the result of a query, whose form depends on the driver and its settings. */
export const readOutcome = (result: unknown, dialect: SqlDialect): Outcome => {
  const isPair = dialect === 'mysql' && Array.isArray(result)
  const found = isPair ? result[0] : result
  const { rows = found, affectedRows, fields = isPair ? result[1] : undefined } = Object(found)
  if (Array.isArray(rows)) return { rows: rows.map((row) => toNamed(row, fields)), count: rows.length }
  if (typeof affectedRows === 'number') return { rows: [], count: affectedRows }
  throw new TypeError('The query function of sqlDedupe must resolve to rows, as those of pg and mysql2 do.')
}

export const numberPlaceholders = (text: string): string => {
  let position = 0
  return text.replaceAll('?', () => `$${++position}`)
}

/** @throws WebhookUsageError for anything that cannot run a statement. */
const assertDatabase = (database: SqlQuery | SqlClient | SqliteDatabase): void => {
  const { unsafe, query, prepare } = Object(database)
  if (typeof unsafe === 'function' && typeof database === 'function') {
    throw new WebhookUsageError(
      'Pass a function for postgres.js: (text, values) => sql.unsafe(text, values).',
    )
  }
  if ([database, query, prepare].some((each) => typeof each === 'function')) return
  throw new WebhookUsageError(
    'sqlDedupe() needs a pool or client of pg or mysql2/promise, a database of node:sqlite or better-sqlite3, ' +
      'or a function that runs one statement.',
  )
}

/** Checks whether a connection is in a transaction. Pools cannot be asked. */
const isInTransaction = (database: object): boolean => {
  const { isTransaction, inTransaction, getTransactionStatus } = Object(database)
  const status = typeof getTransactionStatus === 'function' && getTransactionStatus.call(database)
  return isTransaction === true || inTransaction === true || status === 'T'
}

/** Checks whether a change was part of a transaction, as it is when autocommit is off. mysql2 returns the server's status. */
const ranInTransaction = (result: unknown): boolean => {
  const { serverStatus } = Object(Array.isArray(result) ? result[0] : result)
  return (Number(serverStatus) & 1) === 1
}

const refuseTransaction = (): never => {
  throw new WebhookUsageError(
    'sqlDedupe() cannot run in a transaction: other processes do not see its claims, and they may be rolled back. ' +
      'Pass a pool whose sessions have autocommit on, or a connection of its own.',
  )
}

/** Recognizes a database of SQLite by its `prepare`. A connection of mysql2 has this method, too, so the dialect counts. */
const isSqlite = (database: SqlClient | SqliteDatabase, dialect: SqlDialect): database is SqliteDatabase =>
  'prepare' in database && dialect !== 'mysql'

/**
 * Returns a function that puts a schema before a table's name, unless it has one. Other code may change the search path or the
 * default database of a session, with which the name alone would mean another table.
 */
export const createQualifier = (table: string) => {
  // A name may contain `$`, which has a meaning in a pattern, and in a replacement that is text.
  const name = table.replaceAll('$', '\\$')
  const pattern = new RegExp(`\\b((?:FROM|INTO|UPDATE|JOIN|EXISTS|ON)\\s+)${name}(?![\\w$.])`, 'g')
  return (text: string, schema: string | undefined): string =>
    schema === undefined || table.includes('.')
      ? text
      : text.replaceAll(pattern, (_, before) => `${before}${schema}.${table}`)
}

/** The queries that find the schema of a table, whose name is their only value. */
const schemaQueries = {
  postgresql:
    'SELECT relnamespace::regnamespace::text AS name FROM pg_class WHERE oid = to_regclass(?::text)',
  mysql:
    'SELECT table_schema AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
}

/** Finds the schema in which a session finds a table. PostgreSQL quotes it if necessary. */
export const findSchema = async (
  query: (text: string, values: string[]) => Promise<Outcome>,
  { dialect, table }: { readonly dialect: 'postgresql' | 'mysql'; readonly table: string },
): Promise<string | undefined> => {
  const { rows } = await query(schemaQueries[dialect], [table])
  const value = readOnlyValue(rows[0])
  return ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : (value as string | undefined)
}

/** Quotes the name of a database for MySQL. */
export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** Returns a function that runs a statement with a `?` for each value. */
export const createRunner = (database: SqlQuery | SqlClient | SqliteDatabase, dialect: SqlDialect) => {
  assertDatabase(database)
  const query: SqlQuery =
    typeof database === 'function'
      ? database
      : isSqlite(database, dialect)
        ? (text, values) => database.prepare(text).all(...values)
        : (text, values) => database.query(text, values)

  return async (statement: string, values: SqlValue[]): Promise<Outcome> => {
    const text = dialect === 'postgresql' ? numberPlaceholders(statement) : statement
    if (isInTransaction(database)) refuseTransaction()
    const result = await query(text, values)
    if (ranInTransaction(result)) refuseTransaction()
    return readOutcome(result, dialect)
  }
}

const toPlain = (name: string): string => name.toLowerCase().replaceAll('_', '')

export const readProperty = (value: unknown, name: string): unknown => Object(value)[name]

/**
 * Reads a column of a row, even if the application's driver renames columns, such as `event_key` to
 * `eventKey`.
 */
export const readColumn = (row: unknown, column: string): unknown => {
  const object = Object(row)
  if (column in object) return object[column]
  const renamed = Object.keys(object).find((name) => toPlain(name) === toPlain(column))
  return renamed === undefined ? undefined : object[renamed]
}

/**
 * Reads the value of a row that has a single column, whatever its name, even if the driver nests rows by
 * table.
 */
export const readOnlyValue = (row: unknown): unknown => {
  const [value]: unknown[] = Object.values(Object(row))
  const isNested = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
  return isNested ? readOnlyValue(value) : value
}
