import { type CopiedTable, copiedTables } from './copied-tables.ts'
import { createFingerprint, type Fingerprint } from './fingerprint.ts'
import type { Source } from './open-source.ts'
import type { Target } from './open-target.ts'
import type { OnRows } from './progress.ts'

/** A table with its fingerprint in SQLite. */
export type SourceTable = { readonly table: CopiedTable; readonly source: Fingerprint }

/** A table with its fingerprints in both databases. */
export type TableComparison = {
  readonly table: string
  readonly source: Fingerprint
  readonly target: Fingerprint
}

/** Reads a whole SQLite database. */
export const readSource = (source: Source, onRows: OnRows): SourceTable[] =>
  copiedTables.map((table) => {
    const fingerprint = createFingerprint()
    for (const { record } of source.rows(table)) {
      fingerprint.add(JSON.parse(record))
      onRows(table, 1)
    }
    return { table, source: fingerprint.result() }
  })

/** Reads a whole PostgreSQL database, to compare it with SQLite. */
export const compareTables = async (
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
