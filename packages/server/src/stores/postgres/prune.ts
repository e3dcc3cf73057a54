import type { Store } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'
import { continueRemovals } from './removals.ts'

/** Times before which nothing is left to remove, as far as this process knows. */
type Reached = { readonly finished: string; readonly occurred: string }

/** The minimum bigint. */
const earliest = String(-(2n ** 63n))

const beginning: Reached = { finished: earliest, occurred: earliest }

type Pruned = { readonly removed: number; readonly finished_from: string; readonly occurred_from: string }

/**
 * Continues removals, and prunes from where the last call ended. If nothing is left from there on, it starts again from the beginning, for
 * deliveries and events that were added late.
 */
export const createPrune = (query: PostgresDatabase['query']): Store['prune'] => {
  let reached = beginning
  const pruneFrom = async (from: Reached, before: number, limit: number): Promise<number> => {
    const [pruned] = await query<Pruned>('SELECT * FROM wabakit.prune($1, $2, $3, $4)', [
      before,
      limit,
      from.finished,
      from.occurred,
    ])
    if (pruned === undefined) return 0
    const { removed, finished_from, occurred_from } = pruned
    reached = removed === 0 ? beginning : { finished: finished_from, occurred: occurred_from }
    return removed
  }
  const pruneEvents = async (before: number, limit: number): Promise<number> => {
    const from = reached
    const removed = await pruneFrom(from, before, limit)
    return removed === 0 && from !== beginning ? pruneFrom(beginning, before, limit) : removed
  }
  const pruneRecords = async (before: number, limit: number): Promise<number> => {
    const [row] = await query<{ removed: number }>('SELECT wabakit.prune_records($1, $2) AS removed', [
      before,
      limit,
    ])
    return row?.removed ?? 0
  }
  return async ({ before, recordsBefore, limit }) =>
    (await continueRemovals(query, limit)) +
    (await pruneEvents(before, limit)) +
    (recordsBefore === undefined ? 0 : await pruneRecords(recordsBefore, limit))
}
