import type { DatabaseSync } from 'node:sqlite'
import { createDueHeap, type DueTime } from './due-heap.ts'

export type { DueTime }

/**
 * Where a claim has to look: for each subscription, a time before which it has nothing to claim. Kept in memory, so
 * that a claim costs nothing for the subscriptions that have nothing due. A time may be too early, until somebody
 * looks; it is never too late, provided that `commit` and `rollback` are called at the ends of transactions.
 */
export type DueTimes = {
  /** Says that a delivery is due at a time. */
  note(time: DueTime): void
  /** Makes the time of a subscription that of its earliest delivery. */
  look(subscription: number): void
  /**
   * Puts a subscription off: it has nothing to claim before this time, and, when omitted, nothing at all.
   *
   * @param lookAt - when a claim looks at it again, if it can claim nothing at that time either.
   */
  defer(subscription: number, until?: number, lookAt?: number): void
  /** Ends a wait for `lookAt`. */
  wake(subscription: number): void
  /** A subscription that may have something due; each is given once, until it is put off or noted again. */
  takeDue(now: number): number | undefined
  /** The earliest `dueAt` of all deliveries. */
  earliest(): number | undefined
  /** What was seen has been committed. */
  commit(): void
  /** What was seen since the last commit may not be so. */
  rollback(): void
}

/** Reads the times of a database, and keeps them. */
export const createDueTimes = (database: DatabaseSync): DueTimes => {
  const subscriptions = database.prepare('select seq from subscriptions')
  const first = ['pending', 'claimed'].map((status) =>
    database.prepare(
      `select dueAt from deliveries where subscription = ? and status = '${status}' order by dueAt limit 1`,
    ),
  )
  const times = createDueHeap()
  /** Those that a claim has not been given: when it has to look at them. */
  const upcoming = createDueHeap()
  /** Whose time became later, or which a claim was given, in this transaction. */
  const deferred = new Set<number>()

  const defer: DueTimes['defer'] = (subscription, until = Infinity, lookAt = until) => {
    deferred.add(subscription)
    if (until === Infinity) times.remove(subscription)
    else times.put({ subscription, dueAt: until })
    if (lookAt === Infinity) upcoming.remove(subscription)
    else upcoming.put({ subscription, dueAt: lookAt })
  }
  const look: DueTimes['look'] = (subscription) => {
    defer(subscription, Math.min(...first.map((each) => Number(each.get(subscription)?.dueAt ?? Infinity))))
  }
  const putEarlier = (heap: typeof times, time: DueTime): void => {
    if (time.dueAt < (heap.find(time.subscription)?.dueAt ?? Infinity)) heap.put(time)
  }

  for (const { seq } of subscriptions.all()) look(Number(seq))
  deferred.clear()

  return {
    note: (time) => {
      putEarlier(times, time)
      putEarlier(upcoming, time)
    },
    look,
    defer,
    wake: (subscription) => {
      const time = times.find(subscription)
      if (time !== undefined) putEarlier(upcoming, time)
    },
    takeDue: (now) => {
      const time = upcoming.first()
      if (time === undefined || time.dueAt > now) return undefined
      deferred.add(time.subscription)
      upcoming.remove(time.subscription)
      return time.subscription
    },
    earliest: () => {
      for (;;) {
        const first = times.first()
        if (first === undefined) return undefined
        const { subscription, dueAt } = first
        look(subscription)
        const after = times.first()
        if (after?.subscription === subscription && after.dueAt === dueAt) return dueAt
      }
    },
    commit: () => deferred.clear(),
    rollback: () => {
      for (const subscription of deferred) {
        times.put({ subscription, dueAt: -Infinity })
        upcoming.put({ subscription, dueAt: -Infinity })
      }
      deferred.clear()
    },
  }
}
