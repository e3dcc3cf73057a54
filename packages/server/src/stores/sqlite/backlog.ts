import type { DatabaseSync } from 'node:sqlite'
import type { Backlog, BacklogRequest } from '@wabakit/core'
import type { DueTimes } from './due-times.ts'
import type { Leases } from './leases.ts'

/** See {@link Store.measureBacklog}. */
export type MeasureBacklog = (request: BacklogRequest) => Backlog

type BacklogContext = {
  readonly database: DatabaseSync
  readonly dueTimes: DueTimes
  readonly leases: Leases
}

/** Returns SQL that counts the pending deliveries, claimed or not, by one index range per subscription. */
const buildCount = (when: '<=' | '>'): string =>
  `with recursive busy (subscription) as (
     select min(subscription) from deliveries where status = 'pending'
     union all
     select (select min(subscription) from deliveries where status = 'pending' and subscription > busy.subscription)
     from busy where subscription is not null
   )
   select count(*) as count from (
     select 1 from busy cross join deliveries d
     on d.subscription = busy.subscription and d.status = 'pending' and d.dueAt ${when} ? limit ?
   )`

/** Counts by index ranges alone. This blocks the event loop for 4 ms per 100,000 deliveries of a kind. */
export const createMeasureBacklog = ({ database, dueTimes, leases }: BacklogContext): MeasureBacklog => {
  const waiting = database.prepare(
    `select count(*) as count from (select 1 from deliveries indexed by waitingDeliveries where laneState = 'waiting' limit ?)`,
  )
  const due = database.prepare(buildCount('<='))
  const later = database.prepare(buildCount('>'))
  const troubled = database.prepare(
    `select count(*) as number, count(disabledReason) as disabled
     from subscriptions indexed by troubledSubscriptions
     where failingSince is not null or disabledReason is not null`,
  )
  const readCount = (row: Record<string, unknown> | undefined): number => Number(row?.count)

  return ({ now, limit }) => {
    const { number, disabled } = troubled.get() ?? {}
    // What is claimed was due.
    const claimed = leases.count(now)
    return {
      waiting: readCount(waiting.get(limit)),
      due: Math.max(0, readCount(due.get(now, limit + claimed)) - claimed),
      later: readCount(later.get(now, limit)),
      claimed: Math.min(limit, claimed),
      oldestDueMs: Math.max(0, now - (dueTimes.earliest() ?? now)),
      failingSubscriptions: Number(number) - Number(disabled),
      disabledSubscriptions: Number(disabled),
    }
  }
}
