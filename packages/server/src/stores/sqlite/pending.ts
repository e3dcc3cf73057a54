import type { DatabaseSync } from 'node:sqlite'
import type { DueTime } from './due-heap.ts'
import type { Leases } from './leases.ts'
import type { Undo } from './undo.ts'

/** A delivery that can be claimed when it is due. */
export type Candidate = { readonly dueAt: number; readonly event: number }

/** Reads which deliveries of a subscription can be claimed next. */
export type Pending = {
  /**
   * Returns up to `limit` deliveries in the order of their due times, which are the ends of their leases if they are
   * claimed. Those whose lease ended before or at `expiredAt` come first. Fewer than `limit` means that there are no more.
   */
  findNext(subscription: number, limit: number, expiredAt?: number): Candidate[]
  /** Must be called when a delivery is due at a time. */
  add(time: DueTime): void
  /** Records that a delivery without a lease is claimed, and so are all before it. They are not read again. */
  passOver(subscription: number, candidate: Candidate): void
}

export type PendingContext = {
  readonly database: DatabaseSync
  readonly leases: Leases
  readonly undo: Undo
}

const isBefore = (left: Candidate, right: Candidate): number =>
  left.dueAt - right.dueAt || left.event - right.event

const beginning: Candidate = { dueAt: -Infinity, event: 0 }

export const createPending = ({ database, leases, undo }: PendingContext): Pending => {
  // With `limit ?`, SQLite would compile the statement for each call, because a plan may depend on the limit.
  const find = database.prepare(
    `select dueAt, event from deliveries where subscription = ? and status = 'pending' and (dueAt, event) > (?, ?)
     order by dueAt, event limit ? + 0`,
  )
  /** For each subscription with leases, a place before which everything is claimed. */
  const passed = new Map<number, Candidate>()

  return {
    findNext: (subscription, limit, expiredAt = -Infinity) => {
      const leased = leases.list(subscription)
      if (leased.length === 0) passed.delete(subscription)
      const next: Candidate[] = []
      let last = passed.get(subscription) ?? beginning
      for (let isWhole = false; !isWhole && next.length < limit; ) {
        const rows = find.all(subscription, last.dueAt, last.event, limit)
        isWhole = rows.length < limit
        for (const row of rows) {
          last = { dueAt: Number(row.dueAt), event: Number(row.event) }
          if (leases.find({ event: last.event, subscription }) === undefined) next.push(last)
        }
      }
      const expired: Candidate[] = []
      for (const { until, event } of leased) {
        const queue = until <= expiredAt ? expired : next
        queue.push({ dueAt: until, event })
      }
      return [...expired.sort(isBefore), ...next.sort(isBefore)].slice(0, limit)
    },
    add: ({ subscription, dueAt }) => {
      if (dueAt <= (passed.get(subscription)?.dueAt ?? -Infinity)) passed.delete(subscription)
    },
    passOver: (subscription, candidate) => {
      undo.push(() => passed.delete(subscription))
      passed.set(subscription, candidate)
    },
  }
}
