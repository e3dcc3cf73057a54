import { columns, type StoredRecords, type TableName, toSnakeCase } from '../columns.ts'
import { createRowMapper, type Encoding, type RowMapper } from '../row-mapper.ts'

/** Rows are JSON, as `json_populate_record` and `row_to_json` use it; `'all'` is stored as null. */
const encoding: Encoding<unknown> = {
  toColumn: toSnakeCase,
  encode: (value, kind) => (kind === 'names' && value === 'all' ? null : value),
  decode: (value, kind) => (kind === 'names' ? (value ?? 'all') : value),
}

export const mapTable = <Table extends TableName>(table: Table): RowMapper<StoredRecords[Table], unknown> =>
  createRowMapper<StoredRecords[Table], unknown>(columns[table], encoding)

/** A row of a table, as JSON. */
export type JsonRow = Readonly<Record<string, unknown>>

/** Returns the condition that an organization exists, given the parameter of its id. A removed one does not. */
export const ifOrganizationExists = (id: string): string =>
  `EXISTS (SELECT FROM wabakit.organizations WHERE id = ${id} AND revision > 0)`

/** A selected row: `row_to_json(t) AS row`. */
export type SelectedRow = { readonly row: JsonRow }

/**
 * Returns the columns of a table's records as SQL, such as `r.id, r.revision`.
 *
 * Functions in PL/pgSQL are bound to columns when they run, so a migration may use a column that a later one adds. A
 * migration that adds a column to a table must also replace the functions that use its list.
 */
export const listColumns = (table: TableName, alias?: string, except: readonly string[] = []): string =>
  Object.keys(columns[table])
    .map(toSnakeCase)
    .filter((name) => !except.includes(name))
    .map((name) => (alias === undefined ? name : `${alias}.${name}`))
    .join(', ')
