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
  /** Puts a subscription off: it has nothing to claim before this time, and, when omitted, nothing at all. */
  defer(subscription: number, until?: number): void
  /** The subscription that may have something due the earliest. */
  first(): DueTime | undefined
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
  /** Whose time became later in this transaction. */
  const deferred = new Set<number>()

  const defer: DueTimes['defer'] = (subscription, until = Infinity) => {
    deferred.add(subscription)
    if (until === Infinity) times.remove(subscription)
    else times.put({ subscription, dueAt: until })
  }
  const look: DueTimes['look'] = (subscription) => {
    defer(subscription, Math.min(...first.map((each) => Number(each.get(subscription)?.dueAt ?? Infinity))))
  }

  for (const { seq } of subscriptions.all()) look(Number(seq))
  deferred.clear()

  return {
    note: (time) => {
      if (time.dueAt < (times.find(time.subscription)?.dueAt ?? Infinity)) times.put(time)
    },
    look,
    defer,
    first: times.first,
    earliest: () => {
      for (;;) {
        const before = times.first()
        if (before === undefined) return undefined
        look(before.subscription)
        const after = times.first()
        if (after?.subscription === before.subscription && after.dueAt === before.dueAt) return after.dueAt
      }
    },
    commit: () => deferred.clear(),
    rollback: () => {
      for (const subscription of deferred) times.put({ subscription, dueAt: -Infinity })
      deferred.clear()
    },
  }
}
