import type { Store } from '@wabakit/core'
import { behindAfterMs } from '@wabakit/core/storage'
import { isHead, isRetry } from './lanes.ts'
import type { Access } from './record-access.ts'

/** The subscriptions with unfinished deliveries, found with one index lookup each. */
const busySubscriptions = `with recursive busy (subscription) as (
  select min(subscription) from deliveries where finishedAt is null and subscription > ?
  union all
  select (select min(subscription) from deliveries where finishedAt is null and subscription > busy.subscription)
  from busy where subscription is not null
)`

/** Lists subscriptions with unfinished deliveries after a position. A limit of -1 means no limit. */
export const listBusySubscriptions = `${busySubscriptions}
  select subscription from busy where subscription is not null limit ? + 0`

/**
 * The earliest due time of a subscription. Reads only the first few unattempted deliveries. Heads among later ones are
 * usually due later, but not if the first ones were sent again, or all wait in blocked lanes.
 */
const firstDue = `select min(dueAt) as dueAt from (
  select * from (
    select d.dueAt, ${isHead} as isHead from deliveries d indexed by freshDeliveries
    where d.subscription = ?1 and d.state = 'fresh' order by d.event limit 20
  ) where isHead
  union all
  select * from (
    select d.dueAt, 1 from deliveries d where d.subscription = ?1 and ${isRetry} order by d.dueAt, d.event limit 1
  )
)`

/** Returns SQL that counts retries with one index range per subscription. */
const buildRetryCount = (when: '<=' | '>'): string =>
  `${busySubscriptions} select count(*) as count from (
     select 1 from busy cross join deliveries d on d.subscription = busy.subscription and ${isRetry} and d.dueAt ${when} ? limit ?
   )`

/**
 * Counts unattempted deliveries lane by lane, in index order. A lane with an attempted delivery is examined in detail.
 * Reads more rows than the limit, because the index does not distinguish heads from the deliveries behind them.
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

/** Counts the unfinished deliveries of a subscription. */
const countUnfinished = `select count(*) as unfinished from (
  select 1 from deliveries indexed by lanes where subscription = ?1 and finishedAt is null limit ?2 + 0
)`

/** Finds the oldest of a subscription's unattempted deliveries and of the retries that are due first. */
const oldestUnfinished = `select occurredAt from events where position = (
  select min(event) from (
    select min(event) as event from deliveries indexed by freshDeliveries where subscription = ?1 and state = 'fresh'
    union all
    select event from (
      select d.event from deliveries d where d.subscription = ?1 and ${isRetry} order by d.dueAt, d.event limit ?2 + 0
    )
  )
)`

/**
 * Creates the operations that measure the backlog, without reading whole tables. `measureBacklog` blocks the event loop for
 * about 20 ms per 100,000 deliveries of each kind.
 */
export const createBacklog = ({ database, findOpen, readAtOnce }: Access) => {
  const listBusy = database.prepare(listBusySubscriptions)
  const findFirstDue = database.prepare(firstDue)
  const countFresh = database.prepare(freshCount)
  const countDue = database.prepare(buildRetryCount('<='))
  const countLater = database.prepare(buildRetryCount('>'))
  const troubled = database.prepare(
    `select count(*) as number, count(disabledReason) as disabled
     from subscriptions indexed by troubledSubscriptions
     where failingSince is not null or disabledReason is not null`,
  )

  const findPosition = database.prepare(
    `select position, pace <> 'new' as isTried from subscriptions where organizationId = ? and id = ? and revision > 0`,
  )
  const count = database.prepare(countUnfinished)
  const findOldest = database.prepare(oldestUnfinished)

  const findDueAt = (subscription: number): number | null => {
    const dueAt = findOpen(subscription) && findFirstDue.get(subscription)?.dueAt
    return dueAt === undefined || dueAt === null ? null : Number(dueAt)
  }
  const listDue = () =>
    listBusy.all(0, -1).flatMap(({ subscription }) => {
      const dueAt = findDueAt(Number(subscription))
      return dueAt === null ? [] : { subscription: Number(subscription), dueAt }
    })
  const findFirst = (due: ReturnType<typeof listDue>): number | undefined =>
    due.length === 0 ? undefined : due.reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity)

  return {
    nextDueAt: () => readAtOnce(() => findFirst(listDue())),
    measureUnfinished: ({ organizationId, subscriptionIds, limit }) =>
      readAtOnce(() =>
        subscriptionIds.map((id) => {
          const found = findPosition.get(organizationId, id)
          const position = Number(found?.position ?? 0)
          const oldestAt = findOldest.get(position, limit)?.occurredAt
          return {
            unfinished: Number(count.get(position, limit)?.unfinished),
            oldestAt: typeof oldestAt === 'number' ? oldestAt : null,
            dueAt: findDueAt(position),
            isTried: found?.isTried === 1,
          }
        }),
      ),
    measureBacklog: ({ now, limit }) =>
      readAtOnce(() => {
        const { number, disabled } = troubled.get() ?? {}
        const allDue = listDue()
        const { heads, waiting } = countFresh.get(2 * limit) ?? {}
        return {
          waiting: Math.min(limit, Number(waiting)),
          // A head is due as soon as its event has occurred.
          due: Math.min(limit, Number(heads) + Number(countDue.get(0, now, limit)?.count)),
          later: Number(countLater.get(0, now, limit)?.count),
          oldestDueMs: Math.max(0, now - (findFirst(allDue) ?? now)),
          behindSubscriptions: allDue.filter(
            ({ subscription, dueAt }) =>
              now - dueAt > behindAfterMs && findOpen(subscription)?.record.failingSince === null,
          ).length,
          failingSubscriptions: Number(number) - Number(disabled),
          disabledSubscriptions: Number(disabled),
        }
      }),
  } satisfies Partial<Store>
}
