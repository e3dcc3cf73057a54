import { escapeControls } from '@wabakit/wire'
import type { Output } from './output.ts'

const formatCell = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(formatCell).join(',') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Formats a value as one line, without control characters. */
export const formatValue = (value: unknown): string => escapeControls(formatCell(value))

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Reads a field. `integrations.wabaNumber` reads the field of each integration. */
const readField = (record: Json, path: string): unknown => {
  const [field = '', inner] = path.split('.')
  const value = record[field]
  if (inner === undefined || !Array.isArray(value)) return value
  return value.map((each: unknown) => (isRecord(each) ? each[inner] : each))
}

/** Converts a field to a header: `occurredAt` becomes `OCCURRED AT`. */
const formatHeader = (path: string): string =>
  path
    .slice(path.indexOf('.') + 1)
    .replace(/(?=[A-Z])/g, ' ')
    .toUpperCase()

const formatTable = (records: readonly Json[], fields: readonly string[]): string => {
  const rows = [
    fields.map(formatHeader),
    ...records.map((record) => fields.map((field) => formatValue(readField(record, field)))),
  ]
  const widths = fields.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const formatRow = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => formatRow(row).trimEnd()).join('\n')
}

export const printTable = (output: Output, records: readonly Json[], fields: readonly string[]): void => {
  if (output.format === 'json') for (const record of records) output.result(record, '')
  else output.result(records, records.length === 0 ? 'none' : formatTable(records, fields))
}

export const formatRecord = (record: Json): string => {
  const width = Math.max(0, ...Object.keys(record).map((field) => field.length))
  return Object.entries(record)
    .map(([field, value]) => `${field.padEnd(width)}  ${formatValue(value)}`)
    .join('\n')
}
