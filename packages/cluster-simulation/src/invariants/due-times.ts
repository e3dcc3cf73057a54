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
  const seen = new Map<string, number>()
  return {
    find: ({ id, status, dueAt }) => {
      if (status !== 'pending' || dueAt === null) return undefined
      const key = `${id} ${dueAt}`
      const first = seen.get(key) ?? now()
      seen.set(key, first)
      return Math.max(dueAt, first)
    },
  }
}
