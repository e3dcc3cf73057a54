import type { DatabaseSync } from 'node:sqlite'
import type { Leases } from './leases.ts'

/** A delivery that can be claimed when it is due. */
export type Candidate = { readonly dueAt: number; readonly event: number }

/** Reads which deliveries of a subscription can be claimed next. */
export type Pending = {
  /**
   * Returns up to `limit` deliveries in the order of their due times, which are the ends of their leases if they are
   * claimed. Fewer than `limit` means that there are no more.
   */
  findNext(subscription: number, limit: number): Candidate[]
}

const isBefore = (left: Candidate, right: Candidate): number =>
  left.dueAt - right.dueAt || left.event - right.event

export const createPending = (database: DatabaseSync, leases: Leases): Pending => {
  const find = database.prepare(
    `select dueAt, event from deliveries where subscription = ? and status = 'pending' order by dueAt, event limit ?`,
  )
  return {
    findNext: (subscription, limit) => {
      const next = leases.list(subscription).map(({ until, event }) => ({ dueAt: until, event }))
      for (const row of find.all(subscription, limit + next.length)) {
        const candidate = { dueAt: Number(row.dueAt), event: Number(row.event) }
        if (leases.find({ event: candidate.event, subscription }) === undefined) next.push(candidate)
      }
      return next.sort(isBefore).slice(0, limit)
    },
  }
}
