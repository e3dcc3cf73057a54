import type { Store } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'

/** Times before which everything has been removed that can be, as far as this process knows. */
type Reached = { readonly settled: string; readonly occurred: string }

/** The least bigint. */
const earliest = String(-(2n ** 63n))

const beginning: Reached = { settled: earliest, occurred: earliest }

type Pruned = { readonly removed: number; readonly settled_from: string; readonly occurred_from: string }

/**
 * Removes what is finished in PostgreSQL, each time from where the last time ended. When nothing is left from there on, it
 * looks once more from the beginning, for what came late.
 */
export const createPrune = (query: PostgresDatabase['query']): Store['prune'] => {
  let reached = beginning
  const pruneFrom = async (from: Reached, before: number, limit: number): Promise<number> => {
    const [pruned] = await query<Pruned>('SELECT * FROM wabakit.prune($1, $2, $3, $4)', [
      before,
      limit,
      from.settled,
      from.occurred,
    ])
    if (pruned === undefined) return 0
    const { removed, settled_from, occurred_from } = pruned
    reached = removed === 0 ? beginning : { settled: settled_from, occurred: occurred_from }
    return removed
  }
  return async ({ before, limit }) => {
    const from = reached
    const removed = await pruneFrom(from, before, limit)
    return removed === 0 && from !== beginning ? pruneFrom(beginning, before, limit) : removed
  }
}
