import { toStorageError } from '../stores/sqlite/storage-errors.ts'
import { divideIntoBatches } from './batches.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import { createFingerprint, type Fingerprint, isSame } from './fingerprint.ts'
import { openSource, type Source } from './open-source.ts'
import { type CopyProgress, openTarget, type Target } from './open-target.ts'
import { createProgress, type OnRows, type Progress } from './progress.ts'

/** A table with its fingerprints in both databases. */
export type TableComparison = {
  readonly table: string
  readonly source: Fingerprint
  readonly target: Fingerprint
}

export type MigrationOptions = {
  /** The path of the SQLite database. */
  readonly from: string
  /** The URL of the PostgreSQL database. */
  readonly to: string
  readonly onProgress: (progress: Progress) => void
}

export type MigrationResult = {
  /** The path of the SQLite database. */
  readonly from: string
  /** The address of the PostgreSQL database, without password. */
  readonly to: string
  readonly tables: readonly TableComparison[]
  /** Set if all tables have the same rows in both databases. If not, the migration is unfinished. */
  readonly isEqual: boolean
}

type CopyOptions = {
  readonly source: Source
  readonly target: Target
  /** The progress of an earlier copy. */
  readonly from: CopyProgress
  /** Called with the number of a table's rows in the target, including those from an earlier copy. */
  readonly onRows: OnRows
}

/** Copies every row that is not in the target yet. */
const copyTables = async ({ source, target, from, onRows }: CopyOptions): Promise<void> => {
  const reached = copiedTables.findIndex(({ name }) => name === from.table)
  for (const [index, table] of copiedTables.entries()) {
    if (index < reached) {
      onRows(table, source.count(table))
      continue
    }
    const after = index === reached ? (from.after ?? undefined) : undefined
    if (after !== undefined) onRows(table, from.rows)
    // Reads the next rows while the previous ones are being written.
    let writing = Promise.resolve()
    for (const batch of divideIntoBatches(source.rows(table, after))) {
      await writing
      writing = target.write(table, batch).then(() => onRows(table, batch.rows))
      // If the source fails, this promise is never awaited.
      writing.catch(() => {})
    }
    await writing
  }
}

/** A table with its fingerprint in SQLite. */
type SourceTable = { readonly table: CopiedTable; readonly source: Fingerprint }

/** Reads a whole SQLite database. */
const readSource = (source: Source, onRows: OnRows): SourceTable[] =>
  copiedTables.map((table) => {
    const fingerprint = createFingerprint()
    for (const { record } of source.rows(table)) {
      fingerprint.add(JSON.parse(record))
      onRows(table, 1)
    }
    return { table, source: fingerprint.result() }
  })

/** Reads a whole PostgreSQL database, to compare it with SQLite. */
const compareTables = async (
  expected: readonly SourceTable[],
  { target, onRows }: { readonly target: Target; readonly onRows: OnRows },
): Promise<TableComparison[]> => {
  const tables: TableComparison[] = []
  for (const { table, source } of expected) {
    const fingerprint = createFingerprint()
    for await (const rows of target.rows(table)) {
      for (const row of rows) fingerprint.add(row)
      onRows(table, rows.length)
    }
    tables.push({ table: table.name, source, target: fingerprint.result() })
  }
  return tables
}

/** The PostgreSQL sequences, each with the SQLite table whose numbers it continues. */
const sequences = {
  'wabakit.organizations_position_seq': 'organizations',
  'wabakit.api_keys_position_seq': 'apiKeys',
  'wabakit.subscriptions_position_seq': 'subscriptions',
  'wabakit.event_positions': 'events',
}

type MigrationContext = Pick<MigrationOptions, 'onProgress'> & {
  readonly source: Source
  readonly target: Target
}

const migrate = async ({ source, target, onProgress }: MigrationContext): Promise<MigrationResult> => {
  const createOnRows = createProgress(source, onProgress)
  const expected = readSource(source, createOnRows('reading'))
  const from = await target.begin(JSON.stringify(expected.map((table) => table.source)))
  await copyTables({ source, target, from, onRows: createOnRows('copying') })
  for (const [sequence, table] of Object.entries(sequences)) {
    await target.continueAfter(sequence, source.readHighest(table))
  }
  const tables = await compareTables(expected, { target, onRows: createOnRows('comparing') })
  const isEqual = tables.every((table) => isSame(table.source, table.target))
  if (isEqual) await target.finish()
  return { from: source.path, to: target.address, tables, isEqual }
}

/**
 * Copies a SQLite database into a PostgreSQL database that no server has used, and compares the two. After an
 * interruption, another call continues with the rows after the last committed ones.
 *
 * @throws DatabaseInUseError if a server uses the SQLite database.
 * @throws DatabaseVersionError if a newer version of this software wrote one of them.
 * @throws DatabaseOpenError if one of them cannot be opened, or the target contains other data.
 * @throws StorageUnavailableError if one of them fails during the migration.
 */
export const migrateDatabase = async ({
  from,
  to,
  onProgress,
}: MigrationOptions): Promise<MigrationResult> => {
  const source = openSource(from)
  try {
    const target = await openTarget(to)
    try {
      return await migrate({ source, target, onProgress })
    } finally {
      await target.close()
    }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    source.close()
  }
}
