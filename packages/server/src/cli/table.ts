import { escapeControls } from '@wabakit/wire'

const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(formatCell).join(',') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Formats a value for people: one line without control characters. */
export const formatValue = (value: unknown): string => escapeControls(formatCell(value))

/** `occurredAt` becomes `OCCURRED AT`. */
const formatHeader = (field: string): string => field.replace(/(?=[A-Z])/g, ' ').toUpperCase()

/** Formats records as a table with a column for each field. */
export const formatTable = (
  records: readonly Readonly<Record<string, unknown>>[],
  fields: readonly string[],
): string => {
  const rows = [
    fields.map(formatHeader),
    ...records.map((record) => fields.map((field) => formatValue(record[field]))),
  ]
  const widths = fields.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats the fields of a record, one per line. */
export const formatRecord = (record: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(0, ...Object.keys(record).map((field) => field.length))
  return Object.entries(record)
    .map(([field, value]) => `${field.padEnd(width)}  ${formatValue(value)}`)
    .join('\n')
}
