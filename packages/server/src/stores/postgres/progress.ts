import type { DeliveryProgress } from '@wabakit/core'
import { newProgress, progressFields, restartedFields } from '@wabakit/core/storage'
import { type Kind, keptColumns, progressColumns, toSnakeCase } from '../columns.ts'

type Field = keyof DeliveryProgress

const types: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  flag: 'boolean',
  json: 'json',
  names: 'text[]',
}

const mapColumns = (toSql: (column: string, field: Field) => string, fields = progressFields): string =>
  fields.map((field) => toSql(toSnakeCase(field), field)).join(', ')

const keptNames = Object.keys(keptColumns).map(toSnakeCase)

/** The other columns that a row keeps when it moves from one table of deliveries to the other. */
export const kept = {
  names: keptNames.join(', '),
  /** The values of a row. */
  of: (alias: string): string => keptNames.map((name) => `${alias}.${name}`).join(', '),
}

/** The columns of a delivery's progress in SQL, such as `attempts, failures`. */
export const progress = {
  names: mapColumns((column) => column),
  /** Their names and types in a list of columns. */
  declared: mapColumns((column, field) => `${column} ${types[progressColumns[field]]}`),
  /** Their values in a new delivery. */
  initial: mapColumns((_, field) => String(newProgress[field])),
  /** Assignments for a delivery that is sent again. */
  restarted: mapColumns((column, field) => `${column} = ${newProgress[field]}`, restartedFields),
  /** The values of a row that is sent again. */
  restartedFrom: (alias: string): string =>
    mapColumns((column, field) =>
      restartedFields.includes(field) ? String(newProgress[field]) : `${alias}.${column}`,
    ),
  /** The values of a row. */
  of: (alias: string): string => mapColumns((column) => `${alias}.${column}`),
  /** The values of a row, each named after its field. PostgreSQL's bigint would become a string. */
  fieldsOf: (alias: string): string =>
    mapColumns((column, field) => {
      const cast = progressColumns[field] === 'integer' ? '::double precision' : ''
      return `${alias}.${column}${cast} AS "${field}"`
    }),
  /** Assignments of another row's values. */
  assignedFrom: (alias: string): string => mapColumns((column) => `${column} = ${alias}.${column}`),
  toRow: (values: DeliveryProgress) =>
    Object.fromEntries(progressFields.map((field) => [toSnakeCase(field), values[field]])),
}
