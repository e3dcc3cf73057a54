import type { Store } from '@wabakit/core'
import { callFunction, type Query } from './query.ts'

/**
 * Maximum number of records that a transaction which continues a removal removes, not counting attempts and the figures of a
 * subscription.
 */
const batch = 1_000

/** Continues removals. Removes at most `limit` records, or skips at most 1,000 deliveries. Returns 0 if nothing is left. */
const continueRemovals = async (query: Query, limit: number): Promise<number> =>
  (await callFunction<number>(query, 'continue_removals($1)', [limit])) ?? 0

/** Creates the functions for removals, which start in one transaction and end in later ones. */
export const createRemovals = (query: Query) => {
  const endAll = async (): Promise<void> => {
    while ((await continueRemovals(query, batch)) > 0);
  }
  return {
    endAll,
    /** Completes a removal that has started. If that fails, `prune` continues it. */
    end: async <Outcome>(outcome: Outcome): Promise<Outcome> => {
      await endAll().catch(() => {})
      return outcome
    },
  }
}

/** The minimum value of a bigint. */
const earliest = String(-(2n ** 63n))

/** The start of the first prune, and of one that looks for what was added late. */
const beginning = { finishedFrom: earliest, occurredFrom: earliest }

/**
 * Creates `prune`, which continues removals and prunes from where the last call ended. If there is nothing to remove after
 * that, it starts from the beginning, to find deliveries and events that were added late.
 */
export const createPrune = (query: Query): Store['prune'] => {
  let reached = beginning
  const pruneFrom = async (from: typeof beginning, before: number, limit: number): Promise<number> => {
    const [pruned] = await query<typeof beginning & { removed: number }>(
      'SELECT removed, finished_from AS "finishedFrom", occurred_from AS "occurredFrom" FROM prune($1, $2, $3, $4)',
      [before, limit, from.finishedFrom, from.occurredFrom],
    )
    if (pruned === undefined) return 0
    const { removed, ...next } = pruned
    reached = removed === 0 ? beginning : next
    return removed
  }
  const pruneEvents = async (before: number, limit: number): Promise<number> => {
    const from = reached
    const removed = await pruneFrom(from, before, limit)
    return removed === 0 && from !== beginning ? pruneFrom(beginning, before, limit) : removed
  }
  return async ({ before, recordsBefore, limit }) =>
    (await continueRemovals(query, limit)) +
    (await pruneEvents(before, limit)) +
    (recordsBefore === undefined
      ? 0
      : ((await callFunction<number>(query, 'prune_records($1, $2)', [recordsBefore, limit])) ?? 0))
}
