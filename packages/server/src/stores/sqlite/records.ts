import type { SQLInputValue } from 'node:sqlite'
import { type Columns, columns, type StoredRecords, type TableName } from '../columns.ts'
import { createRowMapper, type Encoding, type RowMapper } from '../row-mapper.ts'

const toInput = (value: unknown): SQLInputValue => {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A column cannot store a value of the type ${typeof value}.`)
}

/** Flags are 0 or 1; `json` and `names` are JSON text. */
const encoding: Encoding<SQLInputValue> = {
  toColumn: (field) => field,
  encode: (value, kind) => {
    if (value === null) return null
    if (kind === 'flag') return Number(value)
    return kind === 'json' || kind === 'names' ? JSON.stringify(value) : toInput(value)
  },
  decode: (value, kind) => {
    if (value === null) return null
    if (kind === 'flag') return value === 1
    return kind === 'json' || kind === 'names' ? JSON.parse(String(value)) : value
  },
}

/** Maps the rows of a query. */
export const mapRows = <Row extends Readonly<Record<string, unknown>>>(
  columns: Columns<Row>,
): RowMapper<Row, SQLInputValue> => createRowMapper<Row, SQLInputValue>(columns, encoding)

/** Maps the rows of a table. */
export const mapTable = <Table extends TableName>(
  table: Table,
): RowMapper<StoredRecords[Table], SQLInputValue> => mapRows<StoredRecords[Table]>(columns[table])

export const listMarks = (columns: readonly string[]): string => columns.map(() => '?').join(', ')

/** Returns an `insert` of one row, with a parameter for each column. */
export const insertInto = (table: string, columns: readonly string[]): string =>
  `insert into ${table} (${columns.join(', ')}) values (${listMarks(columns)})`
