import { continueRemovals } from './functions/removals.ts'
import type { Query } from './query.ts'

/** Removals, which begin in one transaction and end in further ones. */
export type Removals = {
  /** Completes all removals. */
  endAll(): Promise<void>
  /** Completes a removal that has begun. If that fails, `prune` continues it. */
  end<Outcome>(outcome: Outcome): Promise<Outcome>
}

/** Maximum number of rows that one transaction of a removal changes. */
const batch = 1_000

export const createRemovals = (query: Query): Removals => {
  const endAll = async (): Promise<void> => {
    while ((await continueRemovals(query, batch)) > 0);
  }
  return {
    endAll,
    end: async (outcome) => {
      await endAll().catch(() => {})
      return outcome
    },
  }
}
