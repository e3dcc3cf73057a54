import type pg from 'pg'
import { addressOf } from '../postgres/database-address.ts'
import { upgradeSchema, withSchemaLock } from '../postgres/migrate.ts'
import { toOpenError } from '../postgres/open-error.ts'
import { toStorageError } from '../postgres/postgres-failure.ts'
import { unfinishedCopy } from '../postgres/unfinished-copy.ts'
import { DatabaseOpenError } from '../sqlite/errors/database-open-error.ts'
import type { Batch } from './batches.ts'
import { anew, checkContents, connectTarget } from './connect-target.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'

/** How far the copy into a database is. */
export type Place = {
  /** Name of the table that is being copied: those before it are done. `null` before the first row. */
  readonly table: string | null
  /** Key of the last row of it that was copied. */
  readonly after: string | null
  /** How many rows of it were copied. */
  readonly rows: number
}

/** A PostgreSQL database that is copied into, by this process alone. */
export type Target = {
  /** The database, as people know it. */
  readonly address: string
  /**
   * Begins to copy, or goes on.
   *
   * @param source - what the source holds, so that nothing else is copied into the same database.
   * @throws DatabaseOpenError when it holds something else.
   */
  begin(source: string): Promise<Place>
  /** Writes rows, and that they were written, in one transaction. */
  write(table: CopiedTable, batch: Batch): Promise<void>
  /** The rows of a table as JSON, a few at a time. */
  rows(table: CopiedTable): AsyncIterable<unknown[]>
  /** Has a sequence go on after a number, if it is not 0. */
  continueAfter(sequence: string, highest: number): Promise<void>
  /** Says that the copy is finished: from now on servers start on it. */
  finish(): Promise<void>
  close(): Promise<void>
}

const fetchedRows = 100

const begin = async (client: pg.Client, address: string, source: string): Promise<Place> => {
  const hasBegun = await checkContents(client, address)
  await upgradeSchema(client, address)
  if (!hasBegun) {
    await client.query(
      `CREATE TABLE ${unfinishedCopy} (source text NOT NULL, table_name text, last_key text, copied bigint NOT NULL)`,
    )
    await client.query(`INSERT INTO ${unfinishedCopy} VALUES ($1, NULL, NULL, 0)`, [source])
  }
  const { rows } = await client.query<Place & { source: string }>(
    `SELECT source, table_name AS table, last_key AS after, copied::double precision AS rows FROM ${unfinishedCopy}`,
  )
  const [place] = rows
  if (place?.source === source) return place
  const reason = 'It holds an unfinished migration of another database, or of this one before it was changed.'
  throw new DatabaseOpenError(address, `${reason} ${anew}`)
}

/** Does one statement. */
type Query = <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

const listColumns = ({ columns }: CopiedTable): string => Object.keys(columns).join(', ')

async function* readRows(query: Query, table: CopiedTable): AsyncGenerator<unknown[]> {
  const fetch = () => query<{ record: unknown }>(`FETCH ${fetchedRows} FROM compared`)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await query(
    `DECLARE compared NO SCROLL CURSOR FOR SELECT row_to_json(t) AS record
     FROM (SELECT ${listColumns(table)} FROM wabakit.${table.name}) AS t`,
  )
  // The next rows come while those before are looked at.
  for (let next = fetch(); ; ) {
    const rows = await next
    if (rows.length === 0) break
    next = fetch()
    yield rows.map(({ record }) => record)
  }
  await query('COMMIT')
}

/**
 * Opens a PostgreSQL database to copy into it; nothing is written yet.
 *
 * @throws DatabaseOpenError when it cannot be reached or used, or holds what was not copied into it.
 */
export const openTarget = async (url: string): Promise<Target> => {
  const address = addressOf(url)
  const client = await connectTarget(url, address)

  const query: Query = async <Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
  ) => {
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } catch (error) {
      // What is copied may be copied again.
      throw toStorageError(error, false)
    }
  }

  return {
    address,
    begin: (source) =>
      withSchemaLock(client, address, () => begin(client, address, source)).catch((error) => {
        throw toOpenError(error, address)
      }),
    write: async (table, { records, rows, lastKey }) => {
      const { name } = table
      await query(
        `WITH written AS (
          INSERT INTO wabakit.${name} (${listColumns(table)}) OVERRIDING SYSTEM VALUE
          SELECT ${listColumns(table)} FROM json_populate_recordset(NULL::wabakit.${name}, $1)
        )
        UPDATE ${unfinishedCopy} SET
          table_name = $2, last_key = $3, copied = $4 + CASE WHEN table_name = $2 THEN copied ELSE 0 END`,
        [records, name, lastKey, rows],
      )
    },
    rows: (table) => readRows(query, table),
    continueAfter: async (sequence, highest) => {
      await query('SELECT setval($1, $2) WHERE $2 > 0', [sequence, highest])
    },
    finish: async () => {
      await query(`ANALYZE ${copiedTables.map(({ name }) => `wabakit.${name}`).join(', ')}`)
      await query(`DROP TABLE ${unfinishedCopy}`)
    },
    close: () => client.end().catch(() => {}),
  }
}
