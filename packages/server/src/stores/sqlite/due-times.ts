import type { DatabaseSync } from 'node:sqlite'
import { createDueHeap, type DueTime } from './due-heap.ts'
import type { Pending } from './pending.ts'

export type { DueTime }

/**
 * For each subscription, a time before which it has nothing to claim. The times are kept in memory, so that a claim costs
 * nothing for subscriptions that have nothing due. A time may be too early until it is refreshed. It is never too late,
 * provided that `commit` and `rollback` are called at the end of transactions.
 */
export type DueTimes = {
  /** Records that a delivery is due at a time. */
  add(time: DueTime): void
  /** Sets the time of a subscription to that of its earliest delivery. */
  refresh(subscription: number): void
  /**
   * Defers a subscription that has nothing to claim before a time, or nothing at all if the time is omitted.
   *
   * @param retryAt - when to consider the subscription again, if it cannot be claimed from at that time either.
   */
  defer(subscription: number, until?: number, retryAt?: number): void
  /** Cancels the wait for `retryAt`. */
  wake(subscription: number): void
  /** Removes and returns a subscription that may have something due. It comes back when it is deferred or added. */
  takeDue(now: number): number | undefined
  /** Returns the earliest `dueAt` of all deliveries. */
  earliest(): number | undefined
  /** Keeps the changes since the last commit. */
  commit(): void
  /** Discards the changes since the last commit. */
  rollback(): void
}

/** Reads the due times of a database into memory. */
export const createDueTimes = (database: DatabaseSync, { findNext }: Pick<Pending, 'findNext'>): DueTimes => {
  const subscriptions = database.prepare('select seq from subscriptions')
  const times = createDueHeap()
  /** The subscriptions that `takeDue` has not returned yet, with the time to consider them. */
  const upcoming = createDueHeap()
  /** The subscriptions that were deferred or taken in this transaction. */
  const deferred = new Set<number>()

  const defer: DueTimes['defer'] = (subscription, until = Infinity, retryAt = until) => {
    deferred.add(subscription)
    if (until === Infinity) times.remove(subscription)
    else times.put({ subscription, dueAt: until })
    if (retryAt === Infinity) upcoming.remove(subscription)
    else upcoming.put({ subscription, dueAt: retryAt })
  }
  const refresh: DueTimes['refresh'] = (subscription) => {
    defer(subscription, findNext(subscription, 1)[0]?.dueAt)
  }
  const putEarlier = (heap: typeof times, time: DueTime): void => {
    if (time.dueAt < (heap.find(time.subscription)?.dueAt ?? Infinity)) heap.put(time)
  }

  for (const { seq } of subscriptions.all()) refresh(Number(seq))
  deferred.clear()

  return {
    add: (time) => {
      putEarlier(times, time)
      putEarlier(upcoming, time)
    },
    refresh,
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
        refresh(subscription)
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
