import { continueRemovals } from './functions/removals.ts'
import type { Query } from './query.ts'

/** Removals, which start in one transaction and end in later ones. */
export type Removals = {
  endAll(): Promise<void>
  /** Completes a removal that has started. If that fails, `prune` continues it. */
  end<Outcome>(outcome: Outcome): Promise<Outcome>
}

/** Maximum number of rows changed by one transaction of a removal. */
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
