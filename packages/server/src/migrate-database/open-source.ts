import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import { DatabaseOpenError } from '../stores/errors.ts'
import { resolveDatabaseFile } from '../stores/sqlite/database-file.ts'
import { openLocked } from '../stores/sqlite/lock-file.ts'
import { readNumber, readVersion } from '../stores/sqlite/migrate.ts'
import { migrations } from '../stores/sqlite/migrations.ts'
import type { CopiedTable } from './copied-tables.ts'

const SourceRow = z.object({
  /** The row as a JSON object with PostgreSQL's column names. */
  record: z.string(),
  /** The row's key as a JSON array. */
  key: z.string(),
})

type SourceRow = z.infer<typeof SourceRow>

/** One or more rows to write in one statement. */
export type Batch = {
  /** The rows as a JSON array. */
  readonly records: string
  readonly rows: number
  /** The key of the last row. */
  readonly lastKey: string
}

const KeyValues = z.array(z.union([z.string(), z.number()]))

/** Returns why a database that is empty or has our schema cannot be copied, or `undefined` if it can. */
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

const maxBatch = { rows: 1_000, characters: 4 * 1024 * 1024 }

function* divideIntoBatches(rows: Iterable<SourceRow>): Generator<Batch> {
  let records: string[] = []
  let characters = 0
  let lastKey = ''
  const batch = (): Batch => ({ records: `[${records.join(',')}]`, rows: records.length, lastKey })
  for (const { record, key } of rows) {
    records.push(record)
    characters += record.length
    lastKey = key
    if (records.length < maxBatch.rows && characters < maxBatch.characters) continue
    yield batch()
    records = []
    characters = 0
  }
  if (records.length > 0) yield batch()
}

/**
 * Opens a SQLite database to copy it, without changing it. No server can use the database until it is closed.
 *
 * @throws DatabaseInUseError if a server uses the database.
 * @throws DatabaseVersionError if a newer version of this software wrote the database.
 * @throws DatabaseOpenError if the database does not exist, or is not a database of this version.
 */
export const openSource = (file: string) => {
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new DatabaseOpenError(file, 'There is no such file.')
  }
  const path = resolveDatabaseFile(file)
  const { database, close } = openLocked(path, () => ({ database: connect(path) }))
  function* readRows({ from, key, columns }: CopiedTable, after?: string): Generator<SourceRow> {
    const values = after === undefined ? [] : KeyValues.parse(JSON.parse(after))
    const pairs = Object.entries(columns).map(([name, expression]) => `'${name}', ${expression}`)
    const where =
      after === undefined ? '' : `where (${key.join(', ')}) > (${values.map(() => '?').join(', ')})`
    const sql = `select json_object(${pairs.join(', ')}) as record, json_array(${key.join(', ')}) as key
      from ${from} ${where} order by ${key.join(', ')}`
    for (const row of database.prepare(sql).iterate(...values)) yield SourceRow.parse(row)
  }
  return {
    path,
    count: ({ from }: CopiedTable): number => readNumber(database, `select count(*) from ${from}`),
    /** Reads a table's rows in key order, starting after a key if one is given. */
    rows: readRows,
    /** Reads the same rows in batches that are small enough to keep several in memory. */
    batches: (table: CopiedTable, after?: string): Iterable<Batch> =>
      divideIntoBatches(readRows(table, after)),
    /**
     * Returns the highest number that SQLite has given to a row of a table, even if the row is gone; 0 if there is
     * none.
     */
    readHighest: (table: string): number =>
      readNumber(database, 'select seq from sqlite_sequence where name = ?', table),
    close,
  }
}

/** A snapshot of a SQLite database. */
export type Source = ReturnType<typeof openSource>
