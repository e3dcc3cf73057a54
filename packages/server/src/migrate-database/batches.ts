import type { SourceRow } from './open-source.ts'

/** Rows to write in one statement, at least one. */
export type Batch = {
  /** The rows as a JSON array. */
  readonly records: string
  readonly rows: number
  /** The key of the last row. */
  readonly lastKey: string
}

const maxRows = 1_000
const maxCharacters = 4 * 1024 * 1024

/** Divides rows into batches that are small enough to keep several in memory. */
export function* divideIntoBatches(rows: Iterable<SourceRow>): Generator<Batch> {
  let records: string[] = []
  let characters = 0
  let lastKey = ''
  const batch = (): Batch => ({ records: `[${records.join(',')}]`, rows: records.length, lastKey })
  for (const { record, key } of rows) {
    records.push(record)
    characters += record.length
    lastKey = key
    if (records.length < maxRows && characters < maxCharacters) continue
    yield batch()
    records = []
    characters = 0
  }
  if (records.length > 0) yield batch()
}
