import type { EventRecord } from '../records.ts'
import { newProgress } from '../storage/progress.ts'
import type { DeliveryQuery, EventSelection, PageRequest, ResendQuery, Store } from '../store.ts'
import type { MemoryDeliveryQueue } from './delivery-queue.ts'
import { createDeliveryFilter, createEventFilter } from './filters.ts'
import { readPage } from './paging.ts'
import {
  type Database,
  type DeliveryRow,
  getDeliveryId,
  getStatus,
  isUnfinished,
  type SubscriptionRow,
  toDeliveryRecord,
} from './tables.ts'
import { enterLane, leaveLane, listPending } from './unfinished.ts'

/**
 * Takes a position for a delivery, after the last one in its lane. Simulations replace it to imitate a
 * database, where a transaction may take its position long before it is committed. Its deliveries then
 * precede deliveries that were committed in the meantime.
 */
export type TakePosition = (order: number, lastOfLane: number) => number

type HistoryContext = Pick<MemoryDeliveryQueue, 'emitAdded' | 'emitChanged'> & {
  readonly takePosition: TakePosition
}

// Read once, because fake timers of a test replace it, and a search would never end.
const { setTimeout: startTimer } = globalThis

const matches = ({ record }: SubscriptionRow, event: EventRecord): boolean =>
  record.channel === event.channel &&
  record.digits === event.digits &&
  (record.events === 'all' || record.events.includes(event.name))

/**
 * Waits before each page of a text search except the first, so that other requests are served while a caller reads all
 * pages.
 */
const awaitTurn = async ({ text, cursor }: EventSelection & PageRequest): Promise<void> => {
  if (text !== undefined && cursor !== undefined) await new Promise((resolve) => startTimer(resolve, 0))
}

const toList = <Row>(row: Row | undefined): readonly Row[] => (row === undefined ? [] : [row])

const createDelivery = (
  event: EventRecord,
  owner: SubscriptionRow,
  { order, position }: Pick<DeliveryRow, 'order' | 'position'>,
): DeliveryRow => ({
  order,
  position,
  event,
  owner,
  state: 'skipped',
  dueAt: event.occurredAt,
  version: 0,
  webhookId: event.id,
  progress: newProgress,
  finishedAt: event.occurredAt,
  attempts: [],
})

export const createHistory = (
  { organizations, getTables, queues, events, deliveries, nextOrder }: Database,
  { takePosition, emitAdded, emitChanged }: HistoryContext,
) => {
  const findRow = (organizationId: string, deliveryId: string): DeliveryRow | undefined => {
    const row = deliveries.get(deliveryId)
    return row?.event.organizationId === organizationId ? row : undefined
  }

  const readDeliveries = async (query: DeliveryQuery, isFollowed: boolean) => {
    await awaitTurn(query)
    const { organizationId, deliveryId } = query
    const rows =
      deliveryId === undefined
        ? (organizations.get(organizationId)?.deliveries ?? [])
        : toList(deliveries.get(deliveryId))
    return readPage(rows, { ...query, isFollowed, where: createDeliveryFilter(query) })
  }

  const resend = (row: DeliveryRow, { now, webhookIdSuffix }: ResendQuery): boolean => {
    if (row.owner.record.disabledReason !== null || row.state === 'fresh') return false
    if (webhookIdSuffix !== null) row.webhookId = `${row.event.id}${webhookIdSuffix}`
    row.version++
    enterLane(row, now)
    emitChanged(row.owner)
    return true
  }

  return {
    /**
     * Stores an event, if there is one, with a delivery for each subscription that matches now; with a `subscriptionId`, for
     * that one only. It throws if the event's id is in use, so changes of records call it before they change anything. The
     * ids of health events are always new.
     */
    publish: (event: EventRecord | null, subscriptionId?: string): void => {
      if (event === null) return
      const tables = getTables(event.organizationId)
      if (events.has(event.id)) throw new Error(`An event with the id ${event.id} already exists.`)
      const eventRow = { order: nextOrder(), event }
      tables.events.push(eventRow)
      events.set(event.id, eventRow)
      for (const owner of tables.subscriptions.values()) {
        if (!matches(owner, event)) continue
        if (subscriptionId !== undefined && owner.record.id !== subscriptionId) continue
        const order = nextOrder()
        const last = owner.lanes.get(event.subject)?.at(-1)?.position ?? 0
        const row = createDelivery(event, owner, { order, position: takePosition(order, last) })
        tables.deliveries.push(row)
        deliveries.set(getDeliveryId(row), row)
        if (owner.record.disabledReason !== null) continue
        enterLane(row, event.occurredAt)
        emitAdded(row)
      }
    },
    operations: {
      listEvents: async (query) => {
        await awaitTurn(query)
        const { organizationId, eventId, subscriptionId } = query
        const tables = organizations.get(organizationId)
        const rows = eventId === undefined ? (tables?.events ?? []) : toList(events.get(eventId))
        const ofSubscription = tables?.deliveries.filter(({ owner }) => owner.record.id === subscriptionId)
        const delivered = new Set(ofSubscription?.map(({ event }) => event))
        const matchesEvent = createEventFilter(query)
        const { items, nextCursor } = readPage(rows, {
          ...query,
          isFollowed: true,
          where: (row) => matchesEvent(row) && (subscriptionId === undefined || delivered.has(row.event)),
        })
        return { items: items.map(({ event }) => event), nextCursor }
      },
      listDeliveries: async (query) => {
        const { items, nextCursor } = await readDeliveries(query, true)
        return { items: items.map(toDeliveryRecord), nextCursor }
      },
      listAttempts: async (organizationId, id) => [...(findRow(organizationId, id)?.attempts ?? [])],
      listLastAttempts: async (organizationId, ids) =>
        ids.flatMap((id) => findRow(organizationId, id)?.attempts.at(-1) ?? []),
      resendDeliveries: async (query) => {
        const { items, nextCursor } = await readDeliveries(query, false)
        return { resent: items.filter((row) => resend(row, query)).length, nextCursor }
      },
      cancelDelivery: async ({ organizationId, deliveryId, now }) => {
        const row = findRow(organizationId, deliveryId)
        if (row === undefined || !isUnfinished(row)) return false
        leaveLane(row, 'skipped', now)
        emitChanged(row.owner)
        return true
      },
      retryDelivery: async ({ organizationId, deliveryId, now }) => {
        const row = findRow(organizationId, deliveryId)
        if (row === undefined || getStatus(row) !== 'pending') return false
        // A delivery that was never attempted is already due.
        if (row.state !== 'fresh') row.dueAt = now
        emitChanged(row.owner)
        return true
      },
      nextDueAt: async () => {
        const pending = [...queues.values()].flatMap(listPending)
        const next = pending.reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), Infinity)
        return next === Infinity ? undefined : next
      },
    } satisfies Partial<Store>,
  }
}
