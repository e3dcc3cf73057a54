import type {
  AttemptKey,
  DeliveryProgress,
  DeliveryQueue,
  DeliveryRecord,
  LoadedDelivery,
  QueuesPage,
  Settlement,
  SettlementOutcome,
} from '@wabakit/core'
import {
  createWorkers,
  decideSettlement,
  progressFields,
  type SettledDelivery,
  toSettledRecord,
} from '@wabakit/core/storage'
import { progressColumns } from '../columns.ts'
import { parseDeliveryId } from '../delivery-key.ts'
import { listBusySubscriptions } from './backlog.ts'
import type { Publish } from './events.ts'
import { isHead, isRetry, type Lanes, toPending } from './lanes.ts'
import type { QueueChanges, TouchedQueue } from './queue-changes.ts'
import type { Access } from './record-access.ts'
import { insertInto, mapRows, mapTable } from './records.ts'
import type { Removals } from './removals.ts'

export type DeliveryQueueParts = {
  readonly lanes: Lanes
  readonly queueChanges: QueueChanges
  readonly removals: Removals
  readonly publish: Publish
}

/** The columns of a delivery that settlements change, in addition to `version`. */
const settledColumns = ['state', 'dueAt', 'finishedAt', ...progressFields] as const satisfies ReadonlyArray<
  keyof SettledDelivery
>

/**
 * Selects the loaded delivery unless it has been settled or sent again since. A delivery that was skipped in the meantime
 * can still be settled.
 */
const isSettled = `event = ? and subscription = ? and version = ? and (finishedAt is null or state = 'skipped')`

const pendingRows = mapRows<DeliveryProgress & Pick<DeliveryRecord, 'webhookId' | 'dueAt'>>({
  webhookId: 'text',
  dueAt: 'integer',
  ...progressColumns,
})
const beforeRows = mapRows<Pick<SettledDelivery, 'state' | 'finishedAt'>>({
  state: 'text',
  finishedAt: 'integer',
})
const unattempted = { state: 'fresh', finishedAt: null }
const events = mapTable('events')
const attempts = mapTable('attempts')

export const createDeliveryQueue = (access: Access, parts: DeliveryQueueParts): DeliveryQueue => {
  const { database, findOrganization, findSubscription, findOpen, read, readAtOnce, write } = access
  const { lanes, queueChanges, removals, publish } = parts
  const { isCurrent, ...workers } = createWorkers(1)
  const listBusy = database.prepare(listBusySubscriptions)
  const findUnfinished = database.prepare(
    'select 1 from deliveries where subscription = ? and finishedAt is null limit 1',
  )
  // With `limit ?`, SQLite would recompile the statement for each call, because a plan may depend on the limit.
  const listFresh = database.prepare(
    `select d.event, d.dueAt, d.version, ${isHead} as isHead from deliveries d indexed by freshDeliveries
     where d.subscription = ? and d.state = 'fresh' and d.event > ? order by d.event limit ? + 0`,
  )
  const listRetries = database.prepare(
    `select d.event, d.dueAt, d.version from deliveries d where d.subscription = ? and ${isRetry}
     order by d.dueAt, d.event limit ? + 0`,
  )
  const load = database.prepare(
    `select e.*, coalesce(d.webhookId, e.id) as webhookId, d.dueAt, ${progressFields.map((field) => `d.${field}`).join(', ')}
     from deliveries d join events e on e.position = d.event
     where d.event = ? and d.subscription = ? and d.version = ? and d.finishedAt is null`,
  )
  const findBefore = database.prepare(
    `select state, finishedAt from deliveries
     where ${isSettled}`,
  )
  const update = database.prepare(
    `update deliveries set version = version + 1, ${settledColumns.map((name) => `${name} = ?`).join(', ')}
     where ${isSettled}`,
  )
  const insertAttempt = database.prepare(
    insertInto('attempts', ['event', 'subscription', ...attempts.columns]),
  )
  const updateHealth = database.prepare(
    'update subscriptions set failingSince = ?, isReported = ?, pace = ? where position = ?',
  )
  const disable = database.prepare(
    'update subscriptions set revision = revision + 1, disabledReason = ?, updatedAt = ? where position = ?',
  )

  const loadOne = (key: AttemptKey): LoadedDelivery | undefined => {
    const { event, subscription } = parseDeliveryId(key.id)
    const open = isCurrent(key) ? findOpen(subscription) : undefined
    const row = open && load.get(event, subscription, key.version)
    if (open === undefined || row === undefined) return undefined
    const eventRecord = events.toRecord(row)
    const { id: eventId, name: eventName, organizationId, subject, occurredAt } = eventRecord
    const delivery: DeliveryRecord = {
      ...pendingRows.toRecord(row),
      id: key.id,
      organizationId,
      subscriptionId: open.record.id,
      eventId,
      eventName,
      subject,
      status: 'pending',
      createdAt: occurredAt,
      finishedAt: null,
    }
    return { delivery, event: eventRecord, subscription: open.record, pace: open.pace }
  }

  /**
   * Settles a delivery unless the settlement is stale. {@link toOutcome} determines the next head of its lane after the
   * whole batch.
   */
  const settleOne = (settlement: Settlement) => {
    const { id, version, now, delivery, result, pace: newPace } = settlement
    const { event, subscription } = parseDeliveryId(id)
    const current = isCurrent(settlement) ? findSubscription(subscription) : undefined
    if (current === undefined || current.record.revision < 0) return undefined
    const { record, pace } = current
    // A success has the same outcome in every state, so its row need not be read.
    const before = result.kind === 'delivered' ? unattempted : findBefore.get(event, subscription, version)
    if (before === undefined) return undefined
    const decided = decideSettlement(
      { delivery: { ...delivery, ...beforeRows.toRecord(before) }, subscription: record },
      settlement,
    )
    const { disabled, failingSince, isReported, health } = decided
    const { state } = decided.delivery
    const values = settledColumns.map((name) => decided.delivery[name])
    const { changes } = update.run(...values, event, subscription, version)
    if (Number(changes) === 0) return undefined
    insertAttempt.run(event, subscription, ...attempts.toValues(decided.attempt))
    const isHealthNew = failingSince !== record.failingSince || isReported !== record.isReported
    if (isHealthNew || (newPace ?? pace) !== pace) {
      updateHealth.run(failingSince, Number(isReported), newPace ?? pace, subscription)
    }
    if (disabled !== null) {
      disable.run(disabled, now, subscription)
      queueChanges.noteChanged(subscription)
    }
    for (const each of decided.events) {
      if (findOrganization(each.organizationId) !== undefined) publish(each)
    }
    const settled = toSettledRecord(delivery, decided.delivery)
    return { subscription, state, delivery: settled, version: version + 1, disabled, health }
  }

  const toOutcome = (settled: ReturnType<typeof settleOne>): SettlementOutcome => {
    if (settled === undefined) return { outcome: 'stale' }
    const { subscription, state, ...changes } = settled
    const isBlocked = state === 'started' || findOpen(subscription) === undefined
    const head = isBlocked ? undefined : lanes.findHead(subscription, changes.delivery.subject)
    return { outcome: 'settled', ...changes, next: head ?? null }
  }

  const toQueues = (touched: readonly TouchedQueue[]): QueuesPage['queues'] =>
    touched.flatMap(({ subscription, from }) => {
      const state = findUnfinished.get(subscription) && queueChanges.findState(subscription)
      return state === undefined ? [] : { state, from }
    })

  return {
    ...workers,
    listen: queueChanges.listen,
    readQueues: ({ shards, since = '', limit }) =>
      read(() => {
        // The cursor of a page is that of the changes before the first page was read. Unless it is the last page, the page's
        // last queue follows.
        const [first = '', after] = since.split(' ')
        const cursor = after === undefined || first === '' ? queueChanges.getCursor() : first
        if (!shards.includes(0)) return { queues: [], cursor, isMore: false }
        if (first !== '' && after === undefined) {
          return { queues: toQueues(queueChanges.listSince(first)), cursor, isMore: false }
        }
        const found = listBusy.all(Number(after ?? 0), limit)
        const queues = toQueues(found.map((row) => ({ subscription: Number(row.subscription), from: 0 })))
        const isMore = found.length === limit
        return { queues, cursor: isMore ? `${cursor} ${found.at(-1)?.subscription}` : cursor, isMore }
      }),
    readHeads: ({ queue, after, limit }) =>
      read(() => {
        const subscription = Number(queue)
        const rows = findOpen(subscription) ? listFresh.all(subscription, after, limit) : []
        return {
          heads: rows.flatMap((row) => (row.isHead === 1 ? toPending(subscription, row) : [])),
          after: Number(rows.at(-1)?.event ?? after),
          isEnd: rows.length < limit,
        }
      }),
    readRetries: ({ queue, limit }) =>
      read(() => {
        const subscription = Number(queue)
        const rows = findOpen(subscription) ? listRetries.all(subscription, limit + 1) : []
        const retries = rows.slice(0, limit).map((row) => toPending(subscription, row))
        return { retries, isEnd: rows.length <= limit }
      }),
    loadDeliveries: (keys) => readAtOnce(() => keys.map(loadOne)),
    settleDeliveries: async (settlements) => {
      const { settled, isDisabled } = await write(() => {
        const settled = settlements.map(settleOne).map(toOutcome)
        const isDisabled = settled.some((each) => each.outcome === 'settled' && each.disabled !== null)
        if (isDisabled) removals.takeBatch()
        return { settled, isDisabled }
      })
      // Runs in the background: the rest of a large backlog is not urgent, and must not delay the results of attempts.
      if (isDisabled) void removals.end(undefined)
      return settled
    },
  }
}
