import type { DeliveryRecord } from '@wabakit/core'

/**
 * Records when each delivery could first have been attempted. A lane may hold up a due delivery until it is observed as
 * pending.
 */
export type DueTimes = {
  /** Returns `undefined` for a delivery that is not pending. */
  find(delivery: DeliveryRecord): number | undefined
}

/** @param now - returns the true time. */
export const createDueTimes = (now: () => number): DueTimes => {
  const seen = new Map<string, { readonly dueAt: number; readonly first: number }>()
  return {
    find: ({ id, status, dueAt }) => {
      // It may become pending more than once: earlier deliveries of its lane can be sent again.
      if (status !== 'pending' || dueAt === null) {
        seen.delete(id)
        return undefined
      }
      const known = seen.get(id)
      const first = known?.dueAt === dueAt ? known.first : now()
      seen.set(id, { dueAt, first })
      return Math.max(dueAt, first)
    },
  }
}
