import type { EventRecord } from '../records.ts'
import { createChangeChannel } from '../storage/change-channel.ts'
import { decideSettlement } from '../storage/decide-settlement.ts'
import { createWorkers } from '../storage/workers.ts'
import type {
  AttemptKey,
  DeliveryQueue,
  PendingDelivery,
  Settlement,
  SettlementOutcome,
  StoredQueue,
} from '../store.ts'
import {
  type Database,
  type DeliveryRow,
  findHead,
  getDeliveryId,
  getQueue,
  isUnfinished,
  type SubscriptionRow,
  toDeliveryRecord,
} from './tables.ts'
import { leaveLane, readHeads, setRetry, skipAll } from './unfinished.ts'

type DeliveryQueueOptions = {
  /** Set if changes also report deliveries that are not heads of their lanes. */
  readonly emitsAll: boolean
  publish(event: EventRecord): void
}

const shardCount = 8

const toPending = (row: DeliveryRow): PendingDelivery => ({
  id: getDeliveryId(row),
  position: row.position,
  dueAt: row.dueAt,
  version: row.version,
})

/** Creates the delivery queue, and the functions that report changes to its listeners. */
export const createDeliveryQueue = (
  { organizations, deliveries, queues, nextOrder }: Database,
  { emitsAll, publish }: DeliveryQueueOptions,
) => {
  const queueChanges = createChangeChannel()
  const { isCurrent, ...workers } = createWorkers(shardCount)

  const toState = (owner: SubscriptionRow): StoredQueue => ({
    queue: getQueue(owner),
    shard: owner.order % workers.shards,
    organizationId: owner.record.organizationId,
    pace: owner.pace,
  })

  /** Reports a change to a subscription other than a new delivery. */
  const emitChanged = (owner: SubscriptionRow): void => {
    owner.changedAt = nextOrder()
    queueChanges.emit({ kind: 'changed', state: toState(owner) })
  }

  /** Finds the delivery of an attempt, unless the attempt started at another version or in another epoch. */
  const find = (key: AttemptKey): DeliveryRow | undefined => {
    const row = deliveries.get(key.id)
    return row?.version === key.version && isCurrent(key) ? row : undefined
  }

  /** Settles a delivery, unless the settlement is stale. Returns the delivery, and the changes to its subscription. */
  const settle = (settlement: Settlement) => {
    const row = find(settlement)
    if (row === undefined || !(isUnfinished(row) || row.state === 'skipped')) return undefined
    const { owner } = row
    const { record } = owner
    const { now, pace = owner.pace } = settlement
    const before = { ...row.progress, state: row.state, finishedAt: row.finishedAt }
    const decided = decideSettlement({ delivery: before, subscription: record }, settlement)
    const { state, dueAt, finishedAt, ...progress } = decided.delivery
    row.attempts.push({ ...decided.attempt, deliveryId: getDeliveryId(row) })
    row.progress = progress
    row.version++
    if (state === 'started' || state === 'passable') setRetry(row, state, dueAt ?? now)
    else if (state !== 'fresh') leaveLane(row, state, finishedAt ?? now)
    owner.pace = pace
    const { failingSince, isReported, disabled, health } = decided
    owner.record = { ...record, failingSince, isReported }
    if (disabled !== null) {
      const revision = record.revision + 1
      owner.record = { ...owner.record, revision, disabledReason: disabled, updatedAt: now }
      skipAll(owner, now)
      emitChanged(owner)
    }
    const published = decided.events.filter(({ organizationId }) => organizations.has(organizationId))
    for (const event of published) publish(event)
    return { row, disabled, health }
  }

  const getHead = (row: DeliveryRow): PendingDelivery | null => {
    const head = row.state === 'started' ? undefined : findHead(row.owner, row.event.subject)
    return head === undefined ? null : toPending(head)
  }

  const deliveryQueue: DeliveryQueue = {
    ...workers,
    listen: queueChanges.listen,
    readQueues: async ({ shards, since = '-1' }) => {
      const seen = Number(since)
      const found = [...queues.values()].flatMap((owner) => {
        const state = toState(owner)
        if (owner.lanes.size === 0 || !shards.includes(state.shard)) return []
        if (owner.changedAt > seen) return [{ state, from: 0 }]
        const [first] = owner.fresh.filter(({ order }) => order > seen)
        return first === undefined ? [] : [{ state, from: first.position }]
      })
      return { queues: found, cursor: String(nextOrder()), isMore: false }
    },
    readHeads: async ({ queue, after, limit }) => {
      const owner = queues.get(queue)
      if (owner === undefined) return { heads: [], after, isEnd: true }
      const { heads, ...page } = readHeads(owner, after, limit)
      return { ...page, heads: heads.map(toPending) }
    },
    readRetries: async ({ queue, limit }) => {
      const retries = [...(queues.get(queue)?.retries ?? [])].sort(
        (left, right) => left.dueAt - right.dueAt || left.position - right.position,
      )
      return { retries: retries.slice(0, limit).map(toPending), isEnd: retries.length <= limit }
    },
    loadDeliveries: async (keys) =>
      keys.map((key) => {
        const row = find(key)
        if (row === undefined || !isUnfinished(row)) return undefined
        const { event, owner } = row
        return { delivery: toDeliveryRecord(row), event, subscription: owner.record, pace: owner.pace }
      }),
    settleDeliveries: async (settlements) => {
      const settled = settlements.map(settle)
      return settled.map((each): SettlementOutcome => {
        if (each === undefined) return { outcome: 'stale' }
        const { row, ...changes } = each
        const delivery = toDeliveryRecord(row)
        return { outcome: 'settled', ...changes, delivery, version: row.version, next: getHead(row) }
      })
    },
  }

  return {
    deliveryQueue,
    emitAdded: (row: DeliveryRow): void => {
      const { owner, event } = row
      const state = toState(owner)
      if (findHead(owner, event.subject) === row)
        queueChanges.emit({ kind: 'head', state, head: toPending(row) })
      else if (emitsAll) queueChanges.emit({ kind: 'appended', state, from: row.position })
    },
    emitChanged,
  }
}

export type MemoryDeliveryQueue = ReturnType<typeof createDeliveryQueue>
