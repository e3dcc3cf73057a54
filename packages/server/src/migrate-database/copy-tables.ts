import { inBatches } from './batches.ts'
import { copiedTables } from './copied-tables.ts'
import type { Source } from './open-source.ts'
import type { Place, Target } from './open-target.ts'
import type { OnRows } from './progress.ts'

/** What {@link copyTables} works with. */
export type CopyContext = {
  readonly source: Source
  readonly target: Target
  /** Where to go on. */
  readonly place: Place
  /** Gets told of the rows that are in the target, at first of those that were there already. */
  readonly onRows: OnRows
}

/** Copies every row that is not in the target yet. */
export const copyTables = async ({ source, target, place, onRows }: CopyContext): Promise<void> => {
  const reached = copiedTables.findIndex(({ name }) => name === place.table)
  for (const [index, table] of copiedTables.entries()) {
    if (index < reached) {
      onRows(table, source.count(table))
      continue
    }
    const after = index === reached ? (place.after ?? undefined) : undefined
    if (after !== undefined) onRows(table, place.rows)
    // The next rows are read while the ones before are written.
    let writing = Promise.resolve()
    for (const batch of inBatches(source.rows(table, after))) {
      await writing
      writing = target.write(table, batch).then(() => onRows(table, batch.rows))
      // Nobody waits for it when the source fails meanwhile.
      writing.catch(() => {})
    }
    await writing
  }
}
