import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import { DatabaseOpenError } from '../stores/errors.ts'
import { resolveDatabaseFile } from '../stores/sqlite/database-file.ts'
import { openLocked } from '../stores/sqlite/lock-file.ts'
import { readVersion } from '../stores/sqlite/migrate.ts'
import { migrations } from '../stores/sqlite/migrations.ts'
import type { CopiedTable } from './copied-tables.ts'

const SourceRow = z.object({
  /** The row as a JSON object with PostgreSQL's column names. */
  record: z.string(),
  /** The row's key as a JSON array. */
  key: z.string(),
})

/** A row to copy. */
export type SourceRow = z.infer<typeof SourceRow>

/** A snapshot of a SQLite database. No server can use the database until it is closed. */
export type Source = {
  /** The database's file. */
  readonly path: string
  /** Returns the number of rows in a table. */
  count(table: CopiedTable): number
  /** Reads a table's rows in key order, starting after a key if one is given. */
  rows(table: CopiedTable, after?: string): Iterable<SourceRow>
  /**
   * Returns the highest number that SQLite has assigned to a table's rows, including removed rows, or 0 if there is
   * none.
   */
  readHighest(table: string): number
  close(): void
}

const KeyValues = z.array(z.union([z.string(), z.number()]))

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

const readNumber = (database: DatabaseSync, sql: string, ...values: string[]): number =>
  Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0)

const readHighest = (database: DatabaseSync, table: string): number =>
  readNumber(database, 'select seq from sqlite_sequence where name = ?', table)

/** Returns the reason why a database with our schema cannot be copied, or `undefined` if it can. */
const findObjection = (database: DatabaseSync, version: number): string | undefined => {
  if (readNumber(database, 'select count(*) from sqlite_schema') === 0) {
    return 'It is empty: no server has used it yet.'
  }
  return version < migrations.length
    ? 'An older version wrote it. Start a server of this version on it once.'
    : undefined
}

const connect = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('pragma busy_timeout = 2000; begin')
    const objection = findObjection(database, readVersion(database, path))
    if (objection !== undefined) throw new DatabaseOpenError(path, objection)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const createSource = (path: string, database: DatabaseSync, close: () => void): Source => ({
  path,
  count: ({ from }) => readNumber(database, `select count(*) from ${from}`),
  *rows({ from, key, columns }, after) {
    const values = after === undefined ? [] : KeyValues.parse(JSON.parse(after))
    const pairs = Object.entries(columns).map(([name, expression]) => `'${name}', ${expression}`)
    const where = after === undefined ? '' : `where (${key.join(', ')}) > (${marks(values)})`
    const sql = `select json_object(${pairs.join(', ')}) as record, json_array(${key.join(', ')}) as key
      from ${from} ${where} order by ${key.join(', ')}`
    for (const row of database.prepare(sql).iterate(...values)) yield SourceRow.parse(row)
  },
  readHighest: (table) => readHighest(database, table),
  close,
})

/**
 * Opens a SQLite database to copy it, without changing it.
 *
 * @throws DatabaseInUseError if a server uses the database.
 * @throws DatabaseVersionError if a newer version of this software wrote the database.
 * @throws DatabaseOpenError if the database does not exist, or is not a database of this version.
 */
export const openSource = (file: string): Source => {
  if (!existsSync(file) || !statSync(file).isFile())
    throw new DatabaseOpenError(file, 'There is no such file.')
  const path = resolveDatabaseFile(file)
  const { database, close } = openLocked(path, () => ({ database: connect(path) }))
  return createSource(path, database, close)
}
