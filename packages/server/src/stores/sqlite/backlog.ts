import type { DatabaseSync } from 'node:sqlite'
import type { Backlog, BacklogRequest } from '@wabakit/core'
import type { DueTimes } from './due-times.ts'

/** See {@link Store.measureBacklog}. */
export type MeasureBacklog = (request: BacklogRequest) => Backlog

/** Returns SQL that counts the deliveries with a status, by one index range per subscription. */
const buildCount = (status: 'pending' | 'claimed', when: '<=' | '>'): string =>
  `with recursive busy (subscription) as (
     select min(subscription) from deliveries where status = '${status}'
     union all
     select (select min(subscription) from deliveries where status = '${status}' and subscription > busy.subscription)
     from busy where subscription is not null
   )
   select count(*) as count from (
     select 1 from busy cross join deliveries d
     on d.subscription = busy.subscription and d.status = '${status}' and d.dueAt ${when} ? limit ?
   )`

/** Counts by index ranges alone. This blocks the event loop for 4 ms per 100,000 deliveries of a kind. */
export const createMeasureBacklog = (database: DatabaseSync, dueTimes: DueTimes): MeasureBacklog => {
  const waiting = database.prepare(
    `select count(*) as count from (select 1 from deliveries indexed by waitingDeliveries where laneState = 'waiting' limit ?)`,
  )
  const due = database.prepare(buildCount('pending', '<='))
  const overdueLeases = database.prepare(buildCount('claimed', '<='))
  const later = database.prepare(buildCount('pending', '>'))
  const claimed = database.prepare(buildCount('claimed', '>'))
  const troubled = database.prepare(
    `select count(*) as number, count(disabledReason) as disabled
     from subscriptions indexed by troubledSubscriptions
     where failingSince is not null or disabledReason is not null`,
  )
  const readCount = (row: Record<string, unknown> | undefined): number => Number(row?.count)

  return ({ now, limit }) => {
    const { number, disabled } = troubled.get() ?? {}
    return {
      waiting: readCount(waiting.get(limit)),
      due: Math.min(limit, readCount(due.get(now, limit)) + readCount(overdueLeases.get(now, limit))),
      later: readCount(later.get(now, limit)),
      claimed: readCount(claimed.get(now, limit)),
      oldestDueMs: Math.max(0, now - (dueTimes.earliest() ?? now)),
      failingSubscriptions: Number(number) - Number(disabled),
      disabledSubscriptions: Number(disabled),
    }
  }
}
