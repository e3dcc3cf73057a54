import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { SaveOutcome } from '@wabakit/core'

/** A table of records with a `revision`. */
export type RevisedTable = {
  readonly table: string
  /** Columns that tell the records apart. */
  readonly key: readonly string[]
  /** The other columns, `revision` first. */
  readonly fields: readonly string[]
}

/** The values of a record's columns, in the order of the table's. */
export type RevisedValues = {
  readonly revision: number
  readonly key: readonly SQLInputValue[]
  /** Those after `revision`. */
  readonly fields: readonly SQLInputValue[]
}

const marks = (columns: readonly string[]): string => columns.map(() => '?').join(', ')

/** Writes records by compare-and-set: revision 1 must not exist yet, revision n replaces n − 1. */
export const createRevisions = (
  database: DatabaseSync,
  { table, key, fields }: RevisedTable,
): ((values: RevisedValues) => SaveOutcome) => {
  const columns = [...key, ...fields]
  const insert = database.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${marks(columns)}) on conflict do nothing`,
  )
  const replace = database.prepare(
    `update ${table} set (${fields.join(', ')}) = (${marks(fields)})
     where (${key.join(', ')}) = (${marks(key)}) and revision = ?`,
  )
  return ({ revision, key: ofKey, fields: ofFields }) => {
    const { changes } =
      revision === 1
        ? insert.run(...ofKey, revision, ...ofFields)
        : replace.run(revision, ...ofFields, ...ofKey, revision - 1)
    return Number(changes) === 1 ? 'saved' : 'stale'
  }
}
