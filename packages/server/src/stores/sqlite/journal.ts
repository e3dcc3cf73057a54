import type { DatabaseSync } from 'node:sqlite'
import type {
  AttemptKey,
  DeliveryRecord,
  EventRecord,
  HeadsPage,
  LoadedDelivery,
  QueuesPage,
  RetriesPage,
  Settlement,
  SettlementOutcome,
  Store,
} from '@wabakit/core'
import { decideSettlement, type SettledDelivery, type Workers } from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-id.ts'
import type { FindSubscription } from './find-subscription.ts'
import { isHead, isRetry, type Lanes, toPending } from './lanes.ts'
import type { QueueNews, TouchedQueue } from './queue-news.ts'
import { insertInto, mapRows, mapTable } from './records.ts'

/** Reads, loads and settles unfinished deliveries, each in a transaction of the caller. See {@link Journal}. */
export type SqliteJournal = {
  readQueues(request: Parameters<Store['readQueues']>[0]): QueuesPage
  readHeads(request: Parameters<Store['readHeads']>[0]): HeadsPage
  readRetries(request: Parameters<Store['readRetries']>[0]): RetriesPage
  load(keys: readonly AttemptKey[]): Array<LoadedDelivery | undefined>
  settle(settlements: readonly Settlement[]): SettlementOutcome[]
  /** See {@link Store.nextDueAt}. */
  findNextDueAt(): number | undefined
}

export type JournalContext = {
  readonly database: DatabaseSync
  readonly lanes: Lanes
  readonly news: QueueNews
  readonly isCurrent: Workers['isCurrent']
  readonly findSubscription: FindSubscription
  /** Publishes an event, if its organization exists. */
  publish(event: EventRecord): void
}

/** The columns of a delivery that settlements change. */
const settledColumns = ['state', 'dueAt', 'finishedAt', 'attempts', 'failures', 'deferrals', 'deferredMs']

/**
 * Selects the loaded delivery, unless it was settled since. A delivery that was skipped meanwhile can still be settled.
 */
const isSettled = `event = ? and subscription = ? and turn = ? and (finishedAt is null or state = 'skipped')`

type Unchanged = 'webhookId' | 'dueAt' | 'attempts' | 'failures' | 'deferrals' | 'deferredMs'
const pendingRows = mapRows<Pick<DeliveryRecord, Unchanged>>({
  webhookId: 'text',
  dueAt: 'integer',
  attempts: 'integer',
  failures: 'integer',
  deferrals: 'integer',
  deferredMs: 'integer',
})
const beforeRows = mapRows<Pick<SettledDelivery, 'state' | 'finishedAt'>>({
  state: 'text',
  finishedAt: 'integer',
})
const unattempted = { state: 'fresh', finishedAt: null }
const events = mapTable('events')
const attempts = mapTable('attempts')

/** Lists subscriptions with unfinished deliveries, with one index lookup for each. */
export const busySubscriptions = `with recursive busy (subscription) as (
  select min(subscription) from deliveries where finishedAt is null and subscription > ?
  union all
  select (select min(subscription) from deliveries where finishedAt is null and subscription > busy.subscription)
  from busy where subscription is not null
)`

/**
 * The earliest due time of a subscription. It reads only the first few deliveries that were never attempted: later ones
 * are due later, unless they were sent again.
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

export const createJournal = (context: JournalContext): SqliteJournal => {
  const { database, lanes, news, isCurrent, findSubscription, publish } = context
  const listBusy = database.prepare(
    `${busySubscriptions} select subscription from busy where subscription is not null limit ? + 0`,
  )
  const findUnfinished = database.prepare(
    'select 1 from deliveries where subscription = ? and finishedAt is null limit 1',
  )
  // With `limit ?`, SQLite would compile the statement for each call, because a plan may depend on the limit.
  const listFresh = database.prepare(
    `select d.event, d.dueAt, d.turn, ${isHead} as isHead from deliveries d indexed by freshDeliveries
     where d.subscription = ? and d.state = 'fresh' and d.event > ? order by d.event limit ? + 0`,
  )
  const listRetries = database.prepare(
    `select d.event, d.dueAt, d.turn from deliveries d where d.subscription = ? and ${isRetry}
     order by d.dueAt, d.event limit ? + 0`,
  )
  const findFirstDue = database.prepare(firstDue)
  const load = database.prepare(
    `select e.*, coalesce(d.webhookId, e.id) as webhookId, d.dueAt, d.attempts, d.failures, d.deferrals, d.deferredMs
     from deliveries d join events e on e.seq = d.event
     where d.event = ? and d.subscription = ? and d.turn = ? and d.finishedAt is null`,
  )
  const findBefore = database.prepare(
    `select state, finishedAt from deliveries
     where ${isSettled}`,
  )
  const update = database.prepare(
    `update deliveries set turn = turn + 1, ${settledColumns.map((name) => `${name} = ?`).join(', ')}
     where ${isSettled}`,
  )
  const insertAttempt = database.prepare(
    insertInto('attempts', ['event', 'subscription', ...attempts.columns]),
  )
  const updateHealth = database.prepare(
    'update subscriptions set failingSince = ?, isReported = ?, pace = ? where seq = ?',
  )
  const disable = database.prepare(
    'update subscriptions set revision = revision + 1, disabledReason = ?, updatedAt = ? where seq = ?',
  )

  const findOpen = (subscription: number) => {
    const found = findSubscription(subscription)
    return found?.record.disabledReason === null && found.record.revision > 0 ? found : undefined
  }

  const loadOne = (key: AttemptKey): LoadedDelivery | undefined => {
    const { event, subscription } = parseDeliveryId(key.id)
    const open = isCurrent(key) ? findOpen(subscription) : undefined
    const row = open && load.get(event, subscription, key.turn)
    if (open === undefined || row === undefined) return undefined
    const eventRecord = events.toRecord(row)
    const { id: eventId, name: eventName, organizationId, subject, occurredAt } = eventRecord
    const delivery: DeliveryRecord = {
      ...pendingRows.toRecord(row),
      ...{ id: key.id, organizationId, subscriptionId: open.record.id, eventId, eventName, subject },
      status: 'pending',
      createdAt: occurredAt,
      finishedAt: null,
    }
    return { delivery, event: eventRecord, subscription: open.record, pace: open.pace }
  }

  /**
   * Settles a delivery. Returns the outcome without the next head of its lane, which is determined after the whole
   * batch.
   */
  const settleOne = (settlement: Settlement): SettlementOutcome => {
    const { id, turn, now, delivery, result, pace: newPace } = settlement
    const { event, subscription } = parseDeliveryId(id)
    const current = isCurrent(settlement) ? findSubscription(subscription) : undefined
    if (current === undefined || current.record.revision < 0) return { outcome: 'stale' }
    const { record, pace } = current
    // A success does not depend on the state before.
    const before = result.kind === 'delivered' ? unattempted : findBefore.get(event, subscription, turn)
    if (before === undefined) return { outcome: 'stale' }
    const decided = decideSettlement(
      { delivery: { ...delivery, ...beforeRows.toRecord(before) }, subscription: record },
      settlement,
    )
    const { disabled, failingSince, isReported, health } = decided
    const { state, ...after } = decided.delivery
    const { dueAt, finishedAt, failures, deferrals, deferredMs } = after
    const values = [state, dueAt, finishedAt, after.attempts, failures, deferrals, deferredMs]
    const { changes } = update.run(...values, event, subscription, turn)
    if (Number(changes) === 0) return { outcome: 'stale' }
    insertAttempt.run(event, subscription, ...Object.values(attempts.toRow(decided.attempt)))
    const isHealthNew = failingSince !== record.failingSince || isReported !== record.isReported
    if (isHealthNew || (newPace ?? pace) !== pace) {
      updateHealth.run(failingSince, Number(isReported), newPace ?? pace, subscription)
    }
    if (disabled !== null) {
      disable.run(disabled, now, subscription)
      news.noteChanged(subscription)
    }
    for (const each of decided.events) publish(each)
    const status = state === 'fresh' || state === 'started' || state === 'passable' ? 'pending' : state
    return {
      outcome: 'settled',
      delivery: { ...delivery, ...after, status },
      turn: turn + 1,
      disabled,
      health,
      next: null,
    }
  }

  const addNext = (outcome: SettlementOutcome): SettlementOutcome => {
    if (outcome.outcome === 'stale') return outcome
    const { subscription } = parseDeliveryId(outcome.delivery.id)
    if (findOpen(subscription) === undefined) return outcome
    return { ...outcome, next: lanes.findHead(subscription, outcome.delivery.subject) ?? null }
  }

  const toQueues = (touched: readonly TouchedQueue[]): QueuesPage['queues'] =>
    touched.flatMap(({ subscription, from }) => {
      const state = findUnfinished.get(subscription) && news.findState(subscription)
      return state === undefined ? [] : { state, from }
    })

  return {
    readQueues: ({ shards, since = '', limit }) => {
      // The cursor of a page: the news cursor from before the first page and, except on the last page, the last queue.
      const [first = '', after] = since.split(' ')
      const cursor = after === undefined || first === '' ? news.getCursor() : first
      if (!shards.includes(0)) return { queues: [], cursor, isMore: false }
      if (first !== '' && after === undefined) {
        return { queues: toQueues(news.listSince(first)), cursor, isMore: false }
      }
      const found = listBusy.all(Number(after ?? 0), limit)
      const queues = toQueues(found.map((row) => ({ subscription: Number(row.subscription), from: 0 })))
      const isMore = found.length === limit
      return { queues, cursor: isMore ? `${cursor} ${found.at(-1)?.subscription}` : cursor, isMore }
    },
    readHeads: ({ queue, after, limit }) => {
      const subscription = Number(queue)
      const rows = findOpen(subscription) ? listFresh.all(subscription, after, limit) : []
      return {
        heads: rows.flatMap((row) => (row.isHead === 1 ? toPending(subscription, row) : [])),
        after: Number(rows.at(-1)?.event ?? after),
        isEnd: rows.length < limit,
      }
    },
    readRetries: ({ queue, limit }) => {
      const subscription = Number(queue)
      const rows = findOpen(subscription) ? listRetries.all(subscription, limit + 1) : []
      const retries = rows.slice(0, limit).map((row) => toPending(subscription, row))
      return { retries, isEnd: rows.length <= limit }
    },
    load: (keys) => keys.map(loadOne),
    settle: (settlements) => settlements.map(settleOne).map(addNext),
    findNextDueAt: () => {
      const times = listBusy.all(0, -1).flatMap(({ subscription }) => {
        const dueAt = findOpen(Number(subscription)) && findFirstDue.get(Number(subscription))?.dueAt
        return dueAt === undefined || dueAt === null ? [] : Number(dueAt)
      })
      return times.length === 0 ? undefined : times.reduce((first, each) => Math.min(first, each))
    },
  }
}
