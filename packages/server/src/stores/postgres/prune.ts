import type { Store } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'

/** Times before which nothing is left to remove, as far as this process knows. */
type Reached = { readonly finished: string; readonly occurred: string }

/** The minimum bigint. */
const earliest = String(-(2n ** 63n))

const beginning: Reached = { finished: earliest, occurred: earliest }

type Pruned = { readonly removed: number; readonly finished_from: string; readonly occurred_from: string }

/**
 * Prunes from where the last call ended. If nothing is left from there on, it starts again from the beginning, for
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
  return async ({ before, limit }) => {
    const from = reached
    const removed = await pruneFrom(from, before, limit)
    return removed === 0 && from !== beginning ? pruneFrom(beginning, before, limit) : removed
  }
}
