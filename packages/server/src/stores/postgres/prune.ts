import type { Store } from '@wabakit/core'
import { continueRemovals, prune, pruneRecords } from './functions/removals.ts'
import type { Query } from './query.ts'

/** The times up to which this process has removed everything. */
type Reached = { readonly finishedFrom: string; readonly occurredFrom: string }

/** The minimum value of a bigint. */
const earliest = String(-(2n ** 63n))

const beginning: Reached = { finishedFrom: earliest, occurredFrom: earliest }

/**
 * Continues removals and prunes from where the last call ended. If there is nothing to remove after that, starts from
 * the beginning, to find deliveries and events that were added late.
 */
export const createPrune = (query: Query): Store['prune'] => {
  let reached = beginning
  const pruneFrom = async (from: Reached, before: number, limit: number): Promise<number> => {
    const pruned = await prune(query, { before, limit, ...from })
    if (pruned === undefined) return 0
    const { removed, finished_from: finishedFrom, occurred_from: occurredFrom } = pruned
    reached = removed === 0 ? beginning : { finishedFrom, occurredFrom }
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
    (recordsBefore === undefined ? 0 : await pruneRecords(query, { before: recordsBefore, limit }))
}
