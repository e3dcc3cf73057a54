import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { SaveOutcome } from '@wabakit/core'
import { columns, type StoredRecords } from '../columns.ts'
import { insertInto, listMarks, mapTable } from './records.ts'

/** Tables whose records have a `revision`, with their keys. */
const keys = {
  organizations: ['id'],
  participants: ['organizationId', 'groupId', 'digits'],
  calls: ['organizationId', 'callId'],
  subscriptions: ['organizationId', 'id'],
} as const

type RevisedTable = keyof typeof keys

/** Saves records by compare-and-set: revision 1 must not exist yet, and revision n replaces n − 1. */
export const createSave = <Table extends RevisedTable>(
  database: DatabaseSync,
  table: Table,
): ((record: StoredRecords[Table]) => SaveOutcome) => {
  const { toRow } = mapTable(table)
  const names = Object.keys(columns[table])
  const key: readonly string[] = keys[table]
  const changed = names.filter((name) => !key.includes(name))
  const insert = database.prepare(`${insertInto(table, names)} on conflict do nothing`)
  const replace = database.prepare(
    `update ${table} set (${changed.join(', ')}) = (${listMarks(changed)})
     where (${key.join(', ')}) = (${listMarks(key)}) and revision = ?`,
  )
  return (record) => {
    const row = toRow(record)
    const pick = (fields: readonly string[]): SQLInputValue[] => fields.map((field) => row[field] ?? null)
    const { changes } =
      record.revision === 1
        ? insert.run(...pick(names))
        : replace.run(...pick(changed), ...pick(key), record.revision - 1)
    return Number(changes) === 1 ? 'saved' : 'stale'
  }
}
