import { toStorageError } from '../stores/sqlite/storage-errors.ts'
import { compareTables, readSource, type TableComparison } from './compare-tables.ts'
import { copyTables } from './copy-tables.ts'
import { isSame } from './fingerprint.ts'
import { openSource, type Source } from './open-source.ts'
import { openTarget, type Target } from './open-target.ts'
import { createProgress, type Progress } from './progress.ts'

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
  /** Set if all tables have the same rows in both databases. Otherwise, the migration is not finished. */
  readonly isEqual: boolean
}

/** The sequences in PostgreSQL, each with the SQLite table whose numbers it continues. */
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
