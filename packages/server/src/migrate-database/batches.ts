import type { SourceRow } from './open-source.ts'

/** Rows that are written together, at least one. */
export type Batch = {
  /** A JSON array of them. */
  readonly records: string
  readonly rows: number
  /** Key of the last one. */
  readonly lastKey: string
}

const mostRows = 1_000
const mostCharacters = 4 * 1024 * 1024

/** Rows in batches that are small enough to keep several in memory. */
export function* inBatches(rows: Iterable<SourceRow>): Generator<Batch> {
  let records: string[] = []
  let characters = 0
  let lastKey = ''
  const batch = (): Batch => ({ records: `[${records.join(',')}]`, rows: records.length, lastKey })
  for (const { record, key } of rows) {
    records.push(record)
    characters += record.length
    lastKey = key
    if (records.length < mostRows && characters < mostCharacters) continue
    yield batch()
    records = []
    characters = 0
  }
  if (records.length > 0) yield batch()
}
