import type { DeliveryRecord } from '@wabakit/core'

/**
 * Records when each delivery could first have been attempted. Its lane may hold up a due delivery until it is observed
 * as pending.
 *
 * @param now - returns the true time.
 */
export const createDueTimes = (now: () => number) => {
  const seen = new Map<string, { readonly dueAt: number; readonly first: number }>()
  return {
    /** Returns the time for a delivery, or `undefined` if it is not pending. */
    find: ({ id, status, dueAt }: DeliveryRecord): number | undefined => {
      // It can become pending more than once, because earlier deliveries of its lane can be sent again.
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
