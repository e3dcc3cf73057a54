import type { PostgresDatabase } from './open-postgres.ts'

/** What begins in one transaction, and ends in further ones. */
export type Removals = {
  /** Continues all removals to their end. */
  endAll(): Promise<void>
  /** Ends a removal that has begun. If that fails, `prune` continues. */
  end<Outcome>(outcome: Outcome): Promise<Outcome>
}

/** Maximum number of rows that one transaction of a removal changes. */
const batch = 1_000

/** Continues removals by one transaction. Returns 0 if there is nothing left to do. */
export const continueRemovals = async (query: PostgresDatabase['query'], limit = batch): Promise<number> => {
  const [row] = await query<{ changed: number }>('SELECT wabakit.continue_removals($1) AS changed', [limit])
  return row?.changed ?? 0
}

export const createRemovals = (query: PostgresDatabase['query']): Removals => {
  const endAll = async (): Promise<void> => {
    while ((await continueRemovals(query)) > 0);
  }
  return {
    endAll,
    end: async (outcome) => {
      await endAll().catch(() => {})
      return outcome
    },
  }
}
