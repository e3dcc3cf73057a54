import { escapeControls, writeJson } from '@wabakit/wire'
import type { Output } from './output.ts'

const formatItem = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? writeJson(value) : String(value)
}

/** Does not recurse, because a payload may be nested more deeply than the stack allows. */
const formatCell = (value: unknown): string =>
  Array.isArray(value) ? value.map(formatItem).join(',') || '-' : formatItem(value)

/** Formats a value as one line, without control characters. */
export const formatValue = (value: unknown): string => escapeControls(formatCell(value))

/**
 * Formats a URL without its query. The query may contain a secret. In a narrow column, where a value is cut
 * at its start, the query would leave too little space for the path.
 */
export const formatUrl = (url: string): string => url.replace(/\?.*/s, '?…')

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

/** Formats a field of a table. Omits the milliseconds of a time, to leave room for other fields. */
const formatField = (record: Json, field: string): string => {
  const value = readField(record, field)
  const text = formatValue(field === 'url' ? formatUrl(String(value)) : value)
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z')
}

const gap = 2
const minWidth = 12

/** Maximum width of a column on a terminal, so that a long value leaves room for the columns after it. */
const maxShownWidth = 40

/** The columns whose words and numbers have a color. */
const colored = ['status', 'state', 'response', 'summaryArrival']

const colors: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'dim'>> = {
  ...{ delivered: 'green', working: 'green', handled: 'green' },
  ...{ behind: 'yellow', parked: 'yellow' },
  ...{ exhausted: 'red', failing: 'red', failed: 'red', not_delivered: 'red' },
  ...{ skipped: 'dim', untried: 'dim', disabled: 'dim', discarded: 'dim' },
}

const findColor = (field: string, text: string) => {
  if (/^[1-5]\d\d$/.test(text)) return text.startsWith('2') ? 'green' : 'red'
  // The summary of a call is at some of its endpoints.
  if (field === 'summaryArrival' && text.startsWith('at ')) return 'yellow'
  // A response without a status is an error.
  return colors[text] ?? (field === 'response' && text !== '-' ? 'red' : undefined)
}

/** Colors a cell, without the spaces that follow its text. */
const paint = (field: string, cell: string, style: Output['style']): string => {
  const text = cell.trimEnd()
  const color = colored.includes(field) ? findColor(field, text) : undefined
  return color === undefined ? cell : style(color, text) + cell.slice(text.length)
}

/** Cuts a text at its start, because ids and URLs differ at their ends. */
const cutStart = (text: string, width: number): string =>
  text.length > width ? `…${text.slice(1 - width)}` : text

/**
 * Formats a table. The first column that does not fit into `width` is shortened to the remaining space, or omitted if
 * that is too narrow. Later columns are omitted.
 */
export const formatTable = (
  records: readonly Json[],
  {
    fields,
    width,
    style,
  }: {
    readonly fields: readonly string[]
    readonly width: number
    readonly style: Output['style']
  },
): string => {
  const columns: string[][] = []
  let left = width
  for (const field of fields) {
    const cells = [formatHeader(field), ...records.map((record) => formatField(record, field))]
    const longest = Math.min(
      width === Infinity ? Infinity : maxShownWidth,
      Math.max(...cells.map(({ length }) => length)),
    )
    if (left < Math.min(longest, minWidth)) break
    const shown = Math.min(longest, left)
    const shownCells = cells.map((cell) => cutStart(cell, shown).padEnd(shown))
    columns.push(shownCells.map((cell, row) => (row === 0 ? cell : paint(field, cell, style))))
    left -= longest + gap
  }
  const rows = [undefined, ...records].map((_, row) =>
    columns.map((cells) => cells[row]).join(' '.repeat(gap)),
  )
  return rows.map((row) => row.trimEnd()).join('\n')
}

/** Returns the width of the terminal. Output to a pipe or a file is not shortened, unless `COLUMNS` is set. */
export const getWidth = (): number => Number(process.env.COLUMNS) || process.stdout.columns || Infinity

/** Formats a list of records as a table that fits the terminal. */
export const formatList = (
  { style }: Pick<Output, 'style'>,
  records: readonly Json[],
  fields: readonly string[],
): string => (records.length === 0 ? 'none' : formatTable(records, { fields, width: getWidth(), style }))

export const printTable = (output: Output, records: readonly Json[], fields: readonly string[]): void => {
  if (output.format === 'json') for (const record of records) output.result(record, '')
  else output.result(records, formatList(output, records, fields))
}

export const formatRecord = (record: Json): string => {
  const rows = Object.entries(record).map(
    ([field, value]) => [escapeControls(field), formatValue(value)] as const,
  )
  const width = Math.max(0, ...rows.map(([field]) => field.length))
  return rows.map(([field, value]) => `${field.padEnd(width)}  ${value}`).join('\n')
}
