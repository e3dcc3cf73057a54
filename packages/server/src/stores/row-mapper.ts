import type { Columns, Kind } from './columns.ts'

/** How an engine stores the fields of records. */
export type Encoding<Stored> = {
  toColumn(field: string): string
  encode(value: unknown, kind: Kind): Stored
  decode(value: unknown, kind: Kind): unknown
}

/** Converts between records and rows. */
export type RowMapper<Rec, Stored> = {
  /** The names of the columns. */
  readonly columns: readonly string[]
  /** Returns the values by column, in the order of `columns`. */
  toRow(record: Rec): Record<string, Stored>
  /** Ignores columns that belong to no field. */
  toRecord(row: Readonly<Record<string, unknown>>): Rec
}

/** Creates a mapper. It does not validate: only this package writes the tables. */
export const createRowMapper = <Rec extends Readonly<Record<string, unknown>>, Stored>(
  columns: Columns<Rec>,
  { toColumn, encode, decode }: Encoding<Stored>,
): RowMapper<Rec, Stored> => {
  const fields = Object.entries<Kind>(columns).map(([field, kind]) => ({
    field,
    kind,
    column: toColumn(field),
  }))
  return {
    columns: fields.map(({ column }) => column),
    toRow: (record) => {
      const row: Record<string, Stored> = {}
      for (const { field, kind, column } of fields) row[column] = encode(record[field], kind)
      return row
    },
    toRecord: (row) => {
      const record: Record<string, unknown> = {}
      for (const { field, kind, column } of fields) record[field] = decode(row[column], kind)
      // `fields` has every field of the record, because `Columns` requires them.
      return record as Rec
    },
  }
}
