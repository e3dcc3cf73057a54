import { perform } from '../api/reload.ts'
import { download } from '../components/download.ts'
import { showBody, showJson } from '../format/mask.ts'
import { formatCount } from '../format/numbers.ts'

/** Maximum number of records in a file, in the order of the list. */
const maxRecords = 10_000

type Fields = Readonly<Record<string, unknown>>

const toCell = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  // A spreadsheet runs text that begins like a formula. A telephone number only looks like one.
  const safe = /^[=@\t\r]|^[+-](?!\d+$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Masks the personal data of a record if masking is on. Its payload is text that contains JSON. */
const mask = (record: Fields): Fields => {
  const payload = typeof record.payload === 'string' && { payload: showBody(record.payload) }
  return Object(showJson({ ...record, ...payload }))
}

/** Formats records as CSV (RFC 4180). The first line has the names of their fields. */
export const formatCsv = (records: readonly Fields[]): string => {
  const names = [...new Set(records.flatMap(Object.keys))]
  const rows = records.map(mask).map((record) => names.map((name) => toCell(record[name])))
  return [names, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
}

export const exportCsv = (title: string, readPages: () => AsyncIterable<readonly unknown[]>): Promise<void> =>
  perform(
    async () => {
      const records: Fields[] = []
      for await (const items of readPages()) {
        records.push(...items.map((item) => Object(item)))
        if (records.length >= maxRecords) break
      }
      const kept = records.slice(0, maxRecords)
      download(`${title}.csv`, formatCsv(kept), 'text/csv')
      return kept.length
    },
    (count) => `Exported ${count === maxRecords ? 'the first ' : ''}${formatCount(count)} records.`,
  )
