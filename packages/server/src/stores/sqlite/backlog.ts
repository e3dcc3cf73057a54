import type { DatabaseSync } from 'node:sqlite'
import type { Backlog, Store } from '@wabakit/core'
import { busySubscriptions, type SqliteJournal } from './journal.ts'
import { isHead, isRetry } from './lanes.ts'

/** See {@link Store.measureBacklog}. */
export type MeasureBacklog = (request: Parameters<Store['measureBacklog']>[0]) => Backlog

/** Returns SQL that counts retries with one range of an index per subscription. */
const buildRetryCount = (when: '<=' | '>'): string =>
  `${busySubscriptions} select count(*) as count from (
     select 1 from busy cross join deliveries d on d.subscription = busy.subscription and ${isRetry} and d.dueAt ${when} ? limit ?
   )`

/**
 * Counts deliveries that were never attempted, lane by lane, in the order of an index. A lane with a delivery that was
 * attempted is examined in detail. Reads more rows than the limit, because the index does not distinguish heads from
 * the deliveries behind them.
 */
const freshCount = `
  select sum(isHeld) as heads, sum(fresh) - sum(isHeld) as waiting from (
    select fresh, iif(retried = 0, 1, (
      select ${isHead} from deliveries d where d.event = lane.event and d.subscription = lane.subscription
    )) as isHeld from (
      select subscription, subject, min(iif(state = 'fresh', event, null)) as event,
        sum(state = 'fresh') as fresh, sum(state <> 'fresh') as retried
      from (
        select subscription, subject, state, event from deliveries indexed by lanes where finishedAt is null
        order by subscription, subject, state, event limit ?
      ) group by subscription, subject
    ) as lane where fresh > 0
  )`

/** Measures the backlog, using only indexes. Blocks the event loop for about 20 ms per 100,000 deliveries of a kind. */
export const createMeasureBacklog = (
  database: DatabaseSync,
  { findNextDueAt }: Pick<SqliteJournal, 'findNextDueAt'>,
): MeasureBacklog => {
  const countFresh = database.prepare(freshCount)
  const countDue = database.prepare(buildRetryCount('<='))
  const countLater = database.prepare(buildRetryCount('>'))
  const troubled = database.prepare(
    `select count(*) as number, count(disabledReason) as disabled
     from subscriptions indexed by troubledSubscriptions
     where failingSince is not null or disabledReason is not null`,
  )

  return ({ now, limit }) => {
    const { number, disabled } = troubled.get() ?? {}
    const { heads, waiting } = countFresh.get(2 * limit) ?? {}
    return {
      waiting: Math.min(limit, Number(waiting)),
      // Heads have been due since their events.
      due: Math.min(limit, Number(heads) + Number(countDue.get(0, now, limit)?.count)),
      later: Number(countLater.get(0, now, limit)?.count),
      oldestDueMs: Math.max(0, now - (findNextDueAt() ?? now)),
      failingSubscriptions: Number(number) - Number(disabled),
      disabledSubscriptions: Number(disabled),
    }
  }
}
