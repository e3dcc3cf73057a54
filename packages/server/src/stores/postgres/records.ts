import { toPage } from '@wabakit/core/storage'
import { columns, type Kind, type StoredRecords, type TableName, toSnakeCase } from '../columns.ts'
import type { Query } from './query.ts'

/** A table row as JSON, for `json_populate_record` and `row_to_json`. `'all'` is stored as null. */
export type JsonRow = Readonly<Record<string, unknown>>

/** Maps the rows of a table without validation, because only this package writes the tables. */
export const mapTable = <Table extends TableName>(table: Table) => {
  const fields = Object.entries<Kind>(columns[table]).map(([field, kind]) => ({
    field,
    column: toSnakeCase(field),
    isNames: kind === 'names',
  }))
  return {
    toRow: (record: StoredRecords[Table]): JsonRow => {
      const values: JsonRow = record
      const row: Record<string, unknown> = {}
      for (const { field, column, isNames } of fields) {
        row[column] = isNames && values[field] === 'all' ? null : values[field]
      }
      return row
    },
    /** Ignores columns without a field. */
    toRecord: (row: JsonRow): StoredRecords[Table] => {
      const record: Record<string, unknown> = {}
      for (const { field, column, isNames } of fields) {
        record[field] = isNames ? (row[column] ?? 'all') : row[column]
      }
      // `fields` has every field of the record, because `columns` requires them.
      return record as StoredRecords[Table]
    },
  }
}

/** Returns the condition that an organization exists and is not removed, given the parameter for its id. */
export const ifOrganizationExists = (id: string): string =>
  `EXISTS (SELECT FROM wabakit.organizations WHERE id = ${id} AND revision > 0)`

/** Returns SQL for a subscription's position, given the parameters for its organization and id. */
export const findSubscription = (organizationId: string, id: string): string =>
  `(SELECT position FROM wabakit.subscriptions WHERE organization_id = ${organizationId} AND id = ${id} AND revision > 0)`

/** A selected row: `row_to_json(t) AS row`. */
export type SelectedRow = { readonly row: JsonRow }

type PageQuery = { readonly values: readonly unknown[]; readonly limit: number; readonly column?: string }

/**
 * Returns functions that read the records of a table. Their SQL follows `SELECT row_to_json(r) AS row`, and names the
 * table `r`.
 */
export const createReads = <Table extends TableName>(read: Query, table: Table) => {
  const { toRecord } = mapTable(table)
  const select = (sql: string, values: readonly unknown[]): Promise<SelectedRow[]> =>
    read(`SELECT row_to_json(r) AS row ${sql}`, values)
  const list = async (sql: string, values: readonly unknown[]) =>
    (await select(sql, values)).map(({ row }) => toRecord(row))
  return {
    list,
    find: async (sql: string, values: readonly unknown[]) => (await list(sql, values))[0],
    /** Reads a page. The last parameter of the SQL is its limit, and the cursor is the value of a column. */
    readPage: async (sql: string, { values, limit, column = 'position' }: PageQuery) =>
      toPage({
        rows: await select(sql, [...values, limit + 1]),
        limit,
        toItem: ({ row }) => toRecord(row),
        toCursor: ({ row }) => String(row[column]),
      }),
  }
}

/** Returns the columns of a table's records as SQL, such as `r.id, r.revision`. */
export const listColumns = (table: TableName, alias?: string, except: readonly string[] = []): string =>
  Object.keys(columns[table])
    .map(toSnakeCase)
    .filter((name) => !except.includes(name))
    .map((name) => (alias === undefined ? name : `${alias}.${name}`))
    .join(', ')
