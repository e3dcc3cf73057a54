import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { type Columns, columns, type Kind, type StoredRecords, type TableName } from '../columns.ts'

/** Encodes a value for SQLite: flags are 0 or 1; `json` and `names` are JSON text. */
const encode = (value: unknown, kind: Kind): SQLInputValue => {
  if (value === null) return null
  if (kind === 'flag') return Number(value)
  if (kind === 'json' || kind === 'names') return JSON.stringify(value)
  if (typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A column cannot store a value of the type ${typeof value}.`)
}

const decode = (value: unknown, kind: Kind): unknown => {
  if (value === null) return null
  if (kind === 'flag') return value === 1
  return kind === 'json' || kind === 'names' ? JSON.parse(String(value)) : value
}

/** Maps the rows of a query without validation, because only this package writes the tables. */
export const mapRows = <Row extends Readonly<Record<string, unknown>>>(columns: Columns<Row>) => {
  const fields = Object.entries<Kind>(columns)
  /** Ignores columns without a field. */
  const toRecord = (row: Readonly<Record<string, unknown>>): Row => {
    const record: Record<string, unknown> = {}
    for (const [field, kind] of fields) record[field] = decode(row[field], kind)
    // `fields` has every field of the record, because `Columns` requires them.
    return record as Row
  }
  return {
    columns: fields.map(([field]) => field),
    /** Returns a record's values in the order of `columns`. */
    toValues: (record: Row): SQLInputValue[] => fields.map(([field, kind]) => encode(record[field], kind)),
    /** Returns a record's values by column. */
    toRow: (record: Row): Record<string, SQLInputValue> => {
      const row: Record<string, SQLInputValue> = {}
      for (const [field, kind] of fields) row[field] = encode(record[field], kind)
      return row
    },
    toRecord,
    /** Returns the record of the first row that a statement reads, if there is one. */
    find: (statement: StatementSync, ...values: SQLInputValue[]): Row | undefined => {
      const row = statement.get(...values)
      return row && toRecord(row)
    },
  }
}

export const mapTable = <Table extends TableName>(table: Table) =>
  mapRows<StoredRecords[Table]>(columns[table])

export const listMarks = (columns: readonly string[]): string => columns.map(() => '?').join(', ')

/** Returns an `insert` of one row, with a parameter for each column. */
export const insertInto = (table: string, columns: readonly string[]): string =>
  `insert into ${table} (${columns.join(', ')}) values (${listMarks(columns)})`
