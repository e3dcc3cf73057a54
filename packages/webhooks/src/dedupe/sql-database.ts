import type { SqlDialect } from './sql-dialects.ts'

/** A value of a statement. @inline */
export type SqlValue = string | number | null

/** The rows of a statement, an object with `rows`, or the pair that `mysql2` resolves to. */
export type SqlResult = { readonly rows: readonly unknown[] } | readonly unknown[]

/** Runs one statement with its values: `$1`, `$2` on PostgreSQL, `?` on SQLite and MySQL. */
export type SqlQuery = (text: string, values: SqlValue[]) => SqlResult | Promise<SqlResult>

/** The required part of a pool or client of `pg`, or of a pool or connection of `mysql2/promise`. */
export type SqlClient = { query(text: string, values: SqlValue[]): Promise<SqlResult> }

/** The required part of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `better-sqlite3`. */
export type SqliteDatabase = { prepare(text: string): { all(...values: SqlValue[]): readonly unknown[] } }

/** The rows that a statement returned, and the number of rows that it returned or changed. */
type Outcome = { readonly rows: readonly unknown[]; readonly count: number }

const readOutcome = (result: unknown, dialect: SqlDialect): Outcome => {
  const found = dialect === 'mysql' && Array.isArray(result) ? result[0] : result
  const { rows = found, affectedRows } = Object(found)
  if (Array.isArray(rows)) return { rows, count: rows.length }
  if (typeof affectedRows === 'number') return { rows: [], count: affectedRows }
  throw new TypeError('The query function of sqlDedupe must resolve to rows, as that of pg or mysql2 does.')
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
    let position = 0
    const number = () => `$${++position}`
    const text = dialect === 'postgresql' ? statement.replaceAll('?', number) : statement
    return readOutcome(await query(text, values), dialect)
  }
}
