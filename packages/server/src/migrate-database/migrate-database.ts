import { toStorageError } from '../sqlite/sqlite-failure.ts'
import { compareTables, readSource, type TableComparison } from './compare-tables.ts'
import { copyTables } from './copy-tables.ts'
import { isSame } from './fingerprint.ts'
import { openSource, type Source } from './open-source.ts'
import { openTarget, type Target } from './open-target.ts'
import { createProgress, type Progress } from './progress.ts'

/** What to migrate. */
export type MigrationOptions = {
  /** File of the SQLite database. */
  readonly from: string
  /** URL of the PostgreSQL database. */
  readonly to: string
  readonly onProgress: (progress: Progress) => void
}

/** What a migration came to. */
export type MigrationResult = {
  /** The file. */
  readonly from: string
  /** The PostgreSQL database, as it may be shown. */
  readonly to: string
  readonly tables: readonly TableComparison[]
  /** Whether every table holds the same on both sides; only then the migration is finished. */
  readonly isEqual: boolean
}

/** Sequences of PostgreSQL, with the tables of SQLite whose numbers they go on with. */
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
  const progressOf = createProgress(source, onProgress)
  const expected = readSource(source, progressOf('reading'))
  const place = await target.begin(JSON.stringify(expected.map((table) => table.source)))
  await copyTables({ source, target, place, onRows: progressOf('copying') })
  for (const [sequence, table] of Object.entries(sequences)) {
    await target.continueAfter(sequence, source.highest(table))
  }
  const tables = await compareTables(expected, { target, onRows: progressOf('comparing') })
  const isEqual = tables.every((table) => isSame(table.source, table.target))
  if (isEqual) await target.finish()
  return { from: source.path, to: target.address, tables, isEqual }
}

/**
 * Moves everything of a SQLite database into a PostgreSQL database that no server has used, and compares the two. It
 * may be killed at any moment and be called again: it goes on after the last rows that were committed.
 *
 * @throws DatabaseInUseError when a server has the SQLite database.
 * @throws DatabaseVersionError when a newer version of this software wrote one of them.
 * @throws DatabaseOpenError when one of them cannot be opened, or the target holds something else.
 * @throws StorageUnavailableError when one of them failed on the way.
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
