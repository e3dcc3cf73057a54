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
    // Keys (at most 200 characters) are bytes, because comparisons of text may ignore case and trailing spaces.
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
 * Runs one statement with its values. The placeholders are `$1`, `$2` and so on in PostgreSQL, and `?` in SQLite and
 * MySQL.
 */
export type SqlQuery = (text: string, values: SqlValue[]) => SqlResult | Promise<SqlResult>

/** The required part of a pool or client of `pg`, or of a pool or connection of `mysql2/promise`. */
export type SqlClient = { query(text: string, values: SqlValue[]): Promise<SqlResult> }

/** The required part of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `better-sqlite3`. */
export type SqliteDatabase = { prepare(text: string): { all(...values: SqlValue[]): readonly unknown[] } }

/** The rows that a statement returned, and the number of rows that it returned or changed. */
export type Outcome = { readonly rows: readonly unknown[]; readonly count: number }

/** Reads the result of a query, whose form depends on the driver. */
export const readOutcome = (result: unknown, dialect: SqlDialect): Outcome => {
  const found = dialect === 'mysql' && Array.isArray(result) ? result[0] : result
  const { rows = found, affectedRows } = Object(found)
  if (Array.isArray(rows)) return { rows, count: rows.length }
  if (typeof affectedRows === 'number') return { rows: [], count: affectedRows }
  throw new TypeError('The query function of sqlDedupe must resolve to rows, as those of pg and mysql2 do.')
}

/** Replaces each `?` with `$1`, `$2` and so on. */
export const numberPlaceholders = (text: string): string => {
  let position = 0
  return text.replaceAll('?', () => `$${++position}`)
}

/** Returns a function that runs a statement with a `?` for each value. */
export const createRunner = (database: SqlQuery | SqlClient | SqliteDatabase, dialect: SqlDialect) => {
  const query: SqlQuery =
    typeof database === 'function'
      ? database
      : 'prepare' in database
        ? (text, values) => database.prepare(text).all(...values)
        : (text, values) => database.query(text, values)

  return async (statement: string, values: SqlValue[]): Promise<Outcome> => {
    const text = dialect === 'postgresql' ? numberPlaceholders(statement) : statement
    return readOutcome(await query(text, values), dialect)
  }
}

export const readColumn = (row: unknown, column: string): unknown => Object(row)[column]
