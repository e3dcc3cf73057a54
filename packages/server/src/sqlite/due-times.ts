import type { DatabaseSync } from 'node:sqlite'

/** A subscription, and when the earliest of its deliveries is due. */
export type DueTime = { readonly subscription: number; readonly dueAt: number }

/**
 * Where a claim has to look: for each subscription, a time before which it has nothing to claim. Kept in memory, so
 * that a claim costs nothing for the subscriptions that have nothing due. A time may be too early, until somebody
 * looks; it is never too late, provided that `forget` is called when a transaction is rolled back.
 */
export type DueTimes = {
  /** Says that a delivery is due at a time. */
  note(time: DueTime): void
  /** Makes the time of a subscription that of its earliest delivery. */
  look(subscription: number): void
  /** Subscriptions that may have something due, the earliest first. */
  until(now: number): DueTime[]
  /** The earliest `dueAt` of all deliveries. */
  earliest(): number | undefined
  /** Has the times read again when they are needed. */
  forget(): void
}

const earliestOf = (times: ReadonlyMap<number, number>): DueTime | undefined => {
  let earliest: DueTime | undefined
  for (const [subscription, dueAt] of times) {
    if (earliest === undefined || dueAt < earliest.dueAt) earliest = { subscription, dueAt }
  }
  return earliest
}

/** Makes the times of a database. */
export const createDueTimes = (database: DatabaseSync): DueTimes => {
  const subscriptions = database.prepare('select seq from subscriptions')
  const first = database.prepare(
    'select dueAt from deliveries where subscription = ? and status = ? and dueAt is not null order by dueAt limit 1',
  )
  let loaded: Map<number, number> | undefined

  const correct = (times: Map<number, number>, subscription: number): void => {
    const pending = Number(first.get(subscription, 'pending')?.dueAt ?? Infinity)
    const claimed = Number(first.get(subscription, 'claimed')?.dueAt ?? Infinity)
    const dueAt = Math.min(pending, claimed)
    if (dueAt === Infinity) times.delete(subscription)
    else times.set(subscription, dueAt)
  }

  const load = (): Map<number, number> => {
    if (loaded !== undefined) return loaded
    loaded = new Map()
    for (const { seq } of subscriptions.all()) correct(loaded, Number(seq))
    return loaded
  }

  return {
    note: ({ subscription, dueAt }) => {
      if (dueAt < (loaded?.get(subscription) ?? Infinity)) loaded?.set(subscription, dueAt)
    },
    look: (subscription) => correct(load(), subscription),
    until: (now) =>
      Array.from(load(), ([subscription, dueAt]) => ({ subscription, dueAt }))
        .filter(({ dueAt }) => dueAt <= now)
        .sort((left, right) => left.dueAt - right.dueAt),
    earliest: () => {
      const times = load()
      for (;;) {
        const earliest = earliestOf(times)
        if (earliest === undefined) return undefined
        correct(times, earliest.subscription)
        if (times.get(earliest.subscription) === earliest.dueAt) return earliest.dueAt
      }
    },
    forget: () => {
      loaded = undefined
    },
  }
}
