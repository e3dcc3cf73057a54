import type { DeliveryRecord } from '@wabakit/core'

/**
 * Creates a record of the time from which each delivery can be attempted: its due time or, if its lane held it up for
 * longer, the time at which it was first observed as pending. `now` returns the true time.
 */
export const createDueTimes = (now: () => number) => {
  const seen = new Map<string, { readonly dueAt: number; readonly first: number }>()
  return {
    /** Returns the time of a delivery, or `undefined` if it is not pending. */
    find: ({ id, status, dueAt }: DeliveryRecord): number | undefined => {
      // A delivery can become pending again, because users can resend earlier deliveries of its lane.
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
