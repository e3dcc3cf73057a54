import type pg from 'pg'
import { DatabaseOpenError } from '../stores/errors.ts'
import { formatAddress } from '../stores/postgres/database-address.ts'
import { unfinishedCopy, upgradeSchema, withSchemaLock } from '../stores/postgres/migrate.ts'
import { toOpenError } from '../stores/postgres/open-error.ts'
import { toStorageError } from '../stores/postgres/storage-errors.ts'
import { checkContents, connectTarget, startOverHint } from './connect-target.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import type { Batch } from './open-source.ts'

export type CopyProgress = {
  /** The table being copied. Earlier tables are complete. `null` before the first row. */
  readonly table: string | null
  /** The key of the last copied row of the table. */
  readonly after: string | null
  readonly rows: number
}

const fetchedRows = 100

const begin = async (client: pg.Client, address: string, source: string): Promise<CopyProgress> => {
  const hasBegun = await checkContents(client, address)
  await upgradeSchema(client, address)
  if (!hasBegun) {
    await client.query(
      `CREATE TABLE ${unfinishedCopy} (source text NOT NULL, table_name text, last_key text, copied bigint NOT NULL)`,
    )
    await client.query(`INSERT INTO ${unfinishedCopy} VALUES ($1, NULL, NULL, 0)`, [source])
  }
  const { rows } = await client.query<CopyProgress & { source: string }>(
    `SELECT source, table_name AS table, last_key AS after, copied::double precision AS rows FROM ${unfinishedCopy}`,
  )
  const [progress] = rows
  if (progress?.source === source) return progress
  const reason =
    'It contains an unfinished migration of another database, or of this one before it was changed.'
  throw new DatabaseOpenError(address, `${reason} ${startOverHint}`)
}

type Query = <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

const listColumns = ({ columns }: CopiedTable): string => Object.keys(columns).join(', ')

async function* readRows(query: Query, table: CopiedTable): AsyncGenerator<unknown[]> {
  const fetch = () => query<{ record: unknown }>(`FETCH ${fetchedRows} FROM compared`)
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await query(
    `DECLARE compared NO SCROLL CURSOR FOR SELECT row_to_json(t) AS record
     FROM (SELECT ${listColumns(table)} FROM wabakit.${table.name}) AS t`,
  )
  // Fetches the next rows while the previous ones are being compared.
  for (let next = fetch(); ; ) {
    const rows = await next
    if (rows.length === 0) break
    next = fetch()
    yield rows.map(({ record }) => record)
  }
  await query('COMMIT')
}

/**
 * Opens a PostgreSQL database to copy into it, without writing anything yet.
 *
 * @throws DatabaseOpenError if the database cannot be reached or used, another process copies into it, a
 * server has used it, or a migration into it is finished.
 */
export const openTarget = async (url: string) => {
  const address = formatAddress(url)
  const client = await connectTarget(url, address)

  const query: Query = async <Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
  ) => {
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } catch (error) {
      // Reports the database as unavailable even if the commit is in doubt, because an interrupted copy can
      // be repeated.
      throw toStorageError(error, false)
    }
  }

  return {
    /** The database's address, without the password. */
    address,
    /**
     * Starts or continues a copy.
     *
     * @param source - the source's fingerprint, which prevents copying another source into the same database.
     * @throws DatabaseOpenError if the database contains other data.
     */
    begin: (source: string): Promise<CopyProgress> =>
      withSchemaLock(client, address, () => begin(client, address, source)).catch((error) => {
        throw toOpenError(error, address)
      }),
    /** Writes rows and the progress in one transaction. */
    write: async (table: CopiedTable, { records, rows, lastKey }: Batch): Promise<void> => {
      const { name, columns, computed = {} } = table
      const expressions = {
        ...Object.fromEntries(Object.keys(columns).map((key) => [key, key])),
        ...computed,
      }
      await query(
        `WITH written AS (
          INSERT INTO wabakit.${name} (${Object.keys(expressions).join(', ')}) OVERRIDING SYSTEM VALUE
          SELECT ${Object.values(expressions).join(', ')} FROM json_populate_recordset(NULL::wabakit.${name}, $1) AS r
        )
        UPDATE ${unfinishedCopy} SET
          table_name = $2, last_key = $3, copied = $4 + CASE WHEN table_name = $2 THEN copied ELSE 0 END`,
        [records, name, lastKey, rows],
      )
    },
    /** Reads a table's rows as JSON, a few at a time. */
    rows: (table: CopiedTable): AsyncIterable<unknown[]> => readRows(query, table),
    /** Continues a sequence after a number, if the number is not 0. */
    continueAfter: async (sequence: string, highest: number): Promise<void> => {
      await query('SELECT setval($1, $2) WHERE $2 > 0', [sequence, highest])
    },
    /** Marks the copy as finished, so that servers can start on it. */
    finish: async (): Promise<void> => {
      await query(`ANALYZE ${copiedTables.map(({ name }) => `wabakit.${name}`).join(', ')}`)
      await query(`DROP TABLE ${unfinishedCopy}`)
    },
    close: (): Promise<void> => client.end().catch(() => {}),
  }
}

/** A PostgreSQL database to copy into, locked for this process. */
export type Target = Awaited<ReturnType<typeof openTarget>>
