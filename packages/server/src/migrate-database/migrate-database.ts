import { createHash } from 'node:crypto'
import { toStorageError } from '../stores/sqlite/storage-errors.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import { openSource, type Source } from './open-source.ts'
import { type CopyProgress, openTarget, type Target } from './open-target.ts'

/** The progress of a migration: its step and table, and the row counts of all tables. */
export type Progress = {
  readonly step: 'reading' | 'copying' | 'comparing'
  readonly table: string
  readonly done: number
  readonly total: number
}

/** The fingerprint of a table's rows, independent of their order. */
type Fingerprint = {
  readonly rows: number
  /** 32 hexadecimal digits. */
  readonly digest: string
}

type TableComparison = { readonly table: string; readonly source: Fingerprint; readonly target: Fingerprint }

/** Options of a migration from the SQLite database at a path to the PostgreSQL database at a URL. */
type MigrationOptions = {
  readonly from: string
  readonly to: string
  readonly onProgress: (progress: Progress) => void
}

/** The result of a migration. `from` is a path, and `to` is an address without the password. */
export type MigrationResult = Pick<MigrationOptions, 'from' | 'to'> & {
  readonly tables: readonly TableComparison[]
  /** Set if all tables have the same rows in both databases. If not, the migration is unfinished. */
  readonly isEqual: boolean
}

const half = 64

/** Adds up 128 bits of each row's SHA-256, in any order. A missing, repeated or changed row changes the sum. */
const createFingerprint = () => {
  let rows = 0
  let [low, high] = [0n, 0n]
  return {
    add: (row: unknown): void => {
      const hash = createHash('sha256').update(JSON.stringify(row)).digest()
      low = BigInt.asUintN(half, low + hash.readBigUInt64LE(0))
      high = BigInt.asUintN(half, high + hash.readBigUInt64LE(8))
      rows++
    },
    result: (): Fingerprint => ({
      rows,
      digest: ((high << BigInt(half)) + low).toString(16).padStart(32, '0'),
    }),
  }
}

export const isSame = ({ source, target }: TableComparison): boolean =>
  source.rows === target.rows && source.digest === target.digest

type Migration = {
  readonly source: Source
  readonly target: Target
  /** Returns a function that reports further processed rows of a table in a step. */
  readonly countRows: (step: Progress['step']) => (table: CopiedTable, rows: number) => void
}

/** Copies every row that is not in the target yet. `from` is the progress of an earlier copy. */
const copyTables = async ({ source, target, countRows }: Migration, from: CopyProgress): Promise<void> => {
  const onRows = countRows('copying')
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
    for (const batch of source.batches(table, after)) {
      await writing
      writing = target.write(table, batch).then(() => onRows(table, batch.rows))
      // If reading the source fails, nothing awaits this promise, and its rejection would end the process.
      writing.catch(() => {})
    }
    await writing
  }
}

type SourceTable = { readonly table: CopiedTable; readonly source: Fingerprint }

const readSource = ({ source, countRows }: Migration): SourceTable[] => {
  const onRows = countRows('reading')
  return copiedTables.map((table) => {
    const fingerprint = createFingerprint()
    for (const { record } of source.rows(table)) {
      fingerprint.add(JSON.parse(record))
      onRows(table, 1)
    }
    return { table, source: fingerprint.result() }
  })
}

const compareTables = async (
  { target, countRows }: Migration,
  expected: readonly SourceTable[],
): Promise<TableComparison[]> => {
  const onRows = countRows('comparing')
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

const migrate = async (migration: Migration): Promise<MigrationResult> => {
  const { source, target } = migration
  const expected = readSource(migration)
  const from = await target.begin(JSON.stringify(expected.map((table) => table.source)))
  await copyTables(migration, from)
  for (const [sequence, table] of Object.entries(sequences)) {
    await target.continueAfter(sequence, source.readHighest(table))
  }
  const tables = await compareTables(migration, expected)
  const isEqual = tables.every(isSame)
  if (isEqual) await target.finish()
  return { from: source.path, to: target.address, tables, isEqual }
}

/**
 * Copies a SQLite database into a PostgreSQL database that no server has used, and compares the two. After an
 * interruption, another call continues after the last committed row.
 *
 * @throws DatabaseInUseError if a server uses the SQLite database.
 * @throws DatabaseVersionError if a newer version of this software wrote one of them.
 * @throws DatabaseOpenError if one of them cannot be opened, or the target contains other data.
 * @throws StorageUnavailableError if one of them fails during the migration.
 */
export const migrateDatabase = async (options: MigrationOptions): Promise<MigrationResult> => {
  const { from, to, onProgress } = options
  const source = openSource(from)
  try {
    const target = await openTarget(to)
    const total = copiedTables.reduce((sum, table) => sum + source.count(table), 0)
    const countRows: Migration['countRows'] = (step) => {
      let done = 0
      return ({ name: table }, rows) => {
        done += rows
        onProgress({ step, table, done, total })
      }
    }
    try {
      return await migrate({ source, target, countRows })
    } finally {
      await target.close()
    }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    source.close()
  }
}
