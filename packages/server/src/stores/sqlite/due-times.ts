import type { DatabaseSync } from 'node:sqlite'
import { createDueHeap, type DueTime } from './due-heap.ts'
import type { Pending } from './pending.ts'
import type { Undo } from './undo.ts'

export type { DueTime }

/**
 * For each subscription, a time before which it has nothing to claim. The times are kept in memory, so that a claim costs
 * nothing for subscriptions that have nothing due. A time may be too early until it is refreshed. It is never too late.
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
}

export type DueTimesContext = {
  readonly database: DatabaseSync
  readonly pending: Pick<Pending, 'findNext' | 'add'>
  /** Receives how to revert each change that makes a time later. */
  readonly undo: Undo
}

/** Reads the due times of a database into memory. */
export const createDueTimes = ({ database, pending, undo }: DueTimesContext): DueTimes => {
  const subscriptions = database.prepare('select seq from subscriptions')
  const times = createDueHeap()
  /** The subscriptions that `takeDue` has not returned yet, with the time to consider them. */
  const upcoming = createDueHeap()

  const put: DueTimes['defer'] = (subscription, until = Infinity, retryAt = until) => {
    if (until === Infinity) times.remove(subscription)
    else times.put({ subscription, dueAt: until })
    if (retryAt === Infinity) upcoming.remove(subscription)
    else upcoming.put({ subscription, dueAt: retryAt })
  }
  const putNext = (subscription: number): void => {
    put(subscription, pending.findNext(subscription, 1)[0]?.dueAt)
  }
  /** After a rollback, a subscription is due until it is refreshed. */
  const addUndo = (subscription: number): void => {
    undo.push(() => put(subscription, -Infinity))
  }
  const putEarlier = (heap: typeof times, time: DueTime): void => {
    if (time.dueAt < (heap.find(time.subscription)?.dueAt ?? Infinity)) heap.put(time)
  }

  for (const { seq } of subscriptions.all()) putNext(Number(seq))

  return {
    add: (time) => {
      pending.add(time)
      putEarlier(times, time)
      putEarlier(upcoming, time)
    },
    refresh: (subscription) => {
      addUndo(subscription)
      putNext(subscription)
    },
    defer: (subscription, until, retryAt) => {
      addUndo(subscription)
      put(subscription, until, retryAt)
    },
    wake: (subscription) => {
      const time = times.find(subscription)
      if (time !== undefined) putEarlier(upcoming, time)
    },
    takeDue: (now) => {
      const time = upcoming.first()
      if (time === undefined || time.dueAt > now) return undefined
      addUndo(time.subscription)
      upcoming.remove(time.subscription)
      return time.subscription
    },
    earliest: () => {
      for (;;) {
        const first = times.first()
        if (first === undefined) return undefined
        const { subscription, dueAt } = first
        putNext(subscription)
        const after = times.first()
        if (after?.subscription === subscription && after.dueAt === dueAt) return dueAt
      }
    },
  }
}
