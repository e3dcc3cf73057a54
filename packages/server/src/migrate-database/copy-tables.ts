import { divideIntoBatches } from './batches.ts'
import { copiedTables } from './copied-tables.ts'
import type { Source } from './open-source.ts'
import type { CopyProgress, Target } from './open-target.ts'
import type { OnRows } from './progress.ts'

export type CopyOptions = {
  readonly source: Source
  readonly target: Target
  /** The progress of an earlier copy. */
  readonly from: CopyProgress
  /** Called with the number of rows of a table in the target, including those of an earlier copy. */
  readonly onRows: OnRows
}

/** Copies every row that is not in the target yet. */
export const copyTables = async ({ source, target, from, onRows }: CopyOptions): Promise<void> => {
  const reached = copiedTables.findIndex(({ name }) => name === from.table)
  for (const [index, table] of copiedTables.entries()) {
    if (index < reached) {
      onRows(table, source.count(table))
      continue
    }
    const after = index === reached ? (from.after ?? undefined) : undefined
    if (after !== undefined) onRows(table, from.rows)
    // Reads the next rows while the previous ones are being written.
    let writing = Promise.resolve()
    for (const batch of divideIntoBatches(source.rows(table, after))) {
      await writing
      writing = target.write(table, batch).then(() => onRows(table, batch.rows))
      // If the source fails meanwhile, this promise is never awaited.
      writing.catch(() => {})
    }
    await writing
  }
}
