import type { EventRecord } from '../records.ts'
import type {
  DeliverySelection,
  EventSelection,
  PageRequest,
  PruneRequest,
  ResendOutcome,
  ResendQuery,
  Store,
} from '../store.ts'
import type { MemoryJournal } from './journal.ts'
import { forgetCall, pruneRecords } from './old-records.ts'
import { readPage } from './paging.ts'
import {
  type DeliveryRow,
  type EventRow,
  getDeliveryId,
  getStatus,
  isUnfinished,
  type OrganizationTables,
  type SubscriptionRow,
  toDeliveryRecord,
} from './tables.ts'
import { enterLane, leaveLane, listPending } from './unfinished.ts'

const toAsciiLowerCase = (text: string): string =>
  // `toLowerCase` is much faster, but also changes other letters.
  /\P{ASCII}/u.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()

/** Returns whether a string contains another, ignoring the case of ASCII letters. */
export const containsText = (text: string, part: string): boolean =>
  toAsciiLowerCase(text).includes(toAsciiLowerCase(part))

/** Events and their deliveries. */
export type History = Pick<
  Store,
  | 'listEvents'
  | 'listDeliveries'
  | 'listAttempts'
  | 'listLastAttempts'
  | 'resendDeliveries'
  | 'cancelDelivery'
  | 'retryDelivery'
  | 'nextDueAt'
  | 'prune'
  | 'erase'
> & {
  /** Throws if an event cannot be stored. Call it before its transaction writes anything. */
  check(event: EventRecord | null): void
  /** Stores an event, with a delivery for each subscription that matches now. */
  publish(event: EventRecord | null, subscriptionId?: string): void
  /** Removes the events and deliveries of an organization. */
  removeOrganization(tables: OrganizationTables): void
  /** Removes the deliveries of a subscription. */
  removeSubscription(owner: SubscriptionRow): void
}

export type HistoryContext = {
  readonly organizations: ReadonlyMap<string, OrganizationTables>
  /** Throws if there is no such organization. */
  readonly getTables: (organizationId: string) => OrganizationTables
  /** All deliveries, by id. */
  readonly deliveries: Map<string, DeliveryRow>
  readonly journal: Pick<MemoryJournal, 'tellAdded' | 'tellChanged'>
  readonly nextOrder: () => number
  readonly takePosition: TakePosition
}

/**
 * Takes a position for a delivery, after the last one in its lane. In a database, a transaction may take its position
 * long before it is committed, so that the position precedes those of deliveries that were committed in the meantime.
 */
export type TakePosition = (order: number, lastOfLane: number) => number

const matches = ({ record }: SubscriptionRow, event: EventRecord): boolean =>
  record.channel === event.channel &&
  record.digits === event.digits &&
  (record.events === 'all' || record.events.includes(event.name))

const createEventFilter = (selection: EventSelection) => {
  const { organizationId, eventId, names, subject, digits, occurredFrom, occurredBefore, text } = selection
  return ({ event }: { readonly event: EventRecord }): boolean =>
    organizationId === event.organizationId &&
    (eventId === undefined || eventId === event.id) &&
    (names === undefined || names.includes(event.name)) &&
    (subject === undefined || subject === event.subject) &&
    (digits === undefined || digits === event.digits) &&
    (occurredFrom === undefined || event.occurredAt >= occurredFrom) &&
    (occurredBefore === undefined || event.occurredAt < occurredBefore) &&
    (text === undefined || text === event.id || containsText(event.payload, text))
}

const createFilter = (selection: DeliverySelection) => {
  const { subscriptionId, statuses, finishedFrom, finishedBefore, responses } = selection
  const matchesEvent = createEventFilter(selection)
  return (row: DeliveryRow): boolean =>
    (subscriptionId === undefined || subscriptionId === row.owner.record.id) &&
    (statuses === undefined || statuses.includes(getStatus(row))) &&
    (finishedFrom === undefined || (row.finishedAt ?? -Infinity) >= finishedFrom) &&
    (finishedBefore === undefined || (row.finishedAt ?? Infinity) < finishedBefore) &&
    (responses === undefined ||
      (row.attempts.length > 0 && responses.includes(row.attempts.at(-1)?.status ?? 0))) &&
    matchesEvent(row)
}

/** Returns the function that measures the searched text, if there is a text search. */
const measureSearched = ({ text }: EventSelection) => ({
  ...(text !== undefined && {
    measure: ({ event }: { readonly event: EventRecord }) => event.payload.length,
  }),
})

/**
 * Waits before each page of a text search except the first, so that other requests are served while a caller reads all
 * pages.
 */
const awaitTurn = async ({ text, cursor }: EventSelection & PageRequest): Promise<void> => {
  if (text !== undefined && cursor !== undefined) await new Promise((resolve) => setTimeout(resolve, 0))
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
  turn: 0,
  webhookId: event.id,
  failures: 0,
  deferrals: 0,
  deferredMs: 0,
  finishedAt: event.occurredAt,
  attempts: [],
})

export const createHistory = (context: HistoryContext): History => {
  const { organizations, getTables, deliveries, journal, nextOrder, takePosition } = context
  const events = new Map<string, EventRow>()

  const listRows = ({ organizationId, deliveryId: id }: DeliverySelection): readonly DeliveryRow[] =>
    id === undefined ? (organizations.get(organizationId)?.deliveries ?? []) : toList(deliveries.get(id))

  const findRow = (organizationId: string, deliveryId: string): DeliveryRow | undefined => {
    const row = deliveries.get(deliveryId)
    return row?.event.organizationId === organizationId ? row : undefined
  }

  const forget = (rows: Iterable<DeliveryRow>): void => {
    for (const row of rows) deliveries.delete(getDeliveryId(row))
  }

  const cancel = (row: DeliveryRow, now: number): void => {
    leaveLane(row, 'skipped', now)
    journal.tellChanged(row.owner)
  }

  const resend = (row: DeliveryRow, { now, webhookIdSuffix }: ResendQuery): boolean => {
    if (row.owner.record.disabledReason !== null || row.state === 'fresh') return false
    if (webhookIdSuffix !== null) row.webhookId = `${row.event.id}${webhookIdSuffix}`
    row.turn++
    enterLane(row, now)
    journal.tellChanged(row.owner)
    return true
  }

  const pruneDeliveries = (tables: OrganizationTables, { before, limit }: PruneRequest): number => {
    const isOld = ({ finishedAt }: DeliveryRow): boolean => finishedAt !== null && finishedAt < before
    const old = new Set(tables.deliveries.filter(isOld).slice(0, limit))
    tables.deliveries = tables.deliveries.filter((row) => !old.has(row))
    forget(old)
    return old.size
  }

  const pruneEvents = (tables: OrganizationTables, { before, limit }: PruneRequest): number => {
    const needed = new Set(tables.deliveries.map(({ event }) => event.id))
    const isOld = ({ event }: EventRow): boolean => event.occurredAt < before && !needed.has(event.id)
    const old = new Set(tables.events.filter(isOld).slice(0, limit))
    tables.events = tables.events.filter((row) => !old.has(row))
    for (const { event } of old) events.delete(event.id)
    return old.size
  }

  return {
    removeOrganization: (tables) => {
      forget(tables.deliveries)
      for (const { event } of tables.events) events.delete(event.id)
    },
    removeSubscription: (owner) => {
      const tables = getTables(owner.record.organizationId)
      forget(tables.deliveries.filter((row) => row.owner === owner))
      tables.deliveries = tables.deliveries.filter((row) => row.owner !== owner)
    },
    check: (event) => {
      if (event === null) return
      getTables(event.organizationId)
      if (events.has(event.id)) throw new Error(`An event with the id ${event.id} already exists.`)
    },
    publish: (event, subscriptionId) => {
      if (event === null) return
      const tables = getTables(event.organizationId)
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
        journal.tellAdded(row)
      }
    },
    listEvents: async (query) => {
      await awaitTurn(query)
      const { organizationId, eventId, subscriptionId } = query
      const tables = organizations.get(organizationId)
      const all = tables?.events ?? []
      const ofSubscription = new Set(
        tables?.deliveries
          .filter(({ owner }) => owner.record.id === subscriptionId)
          .map(({ event }) => event),
      )
      const matchesEvent = createEventFilter(query)
      const { items, nextCursor } = readPage(eventId === undefined ? all : toList(events.get(eventId)), {
        ...query,
        direction: query.order === 'newest_first' ? query.order : 'followed',
        ...measureSearched(query),
        where: (row) => matchesEvent(row) && (subscriptionId === undefined || ofSubscription.has(row.event)),
      })
      return { items: items.map(({ event }) => event), nextCursor }
    },
    listDeliveries: async (query) => {
      await awaitTurn(query)
      const { items, nextCursor } = readPage(listRows(query), {
        ...query,
        direction: query.order === 'newest_first' ? query.order : 'followed',
        ...measureSearched(query),
        where: createFilter(query),
      })
      return { items: items.map(toDeliveryRecord), nextCursor }
    },
    listAttempts: async (organizationId, id) => {
      const row = deliveries.get(id)
      return row?.event.organizationId === organizationId ? [...row.attempts] : []
    },
    listLastAttempts: async (organizationId, ids) =>
      ids.flatMap((id) => findRow(organizationId, id)?.attempts.at(-1) ?? []),
    resendDeliveries: async (query): Promise<ResendOutcome> => {
      await awaitTurn(query)
      const { items, nextCursor } = readPage(listRows(query), {
        ...query,
        direction: 'oldest_first',
        ...measureSearched(query),
        where: createFilter(query),
      })
      return { resent: items.filter((row) => resend(row, query)).length, nextCursor }
    },
    cancelDelivery: async ({ organizationId, deliveryId, now }) => {
      const row = findRow(organizationId, deliveryId)
      if (row === undefined || !isUnfinished(row)) return false
      cancel(row, now)
      return true
    },
    retryDelivery: async ({ organizationId, deliveryId, now }) => {
      const row = findRow(organizationId, deliveryId)
      if (row === undefined || getStatus(row) !== 'pending') return false
      // A delivery that was never attempted is already due.
      if (row.state !== 'fresh') row.dueAt = now
      journal.tellChanged(row.owner)
      return true
    },
    nextDueAt: async () => {
      const owners = Array.from(organizations.values()).flatMap(({ subscriptions }) => [
        ...subscriptions.values(),
      ])
      const next = owners
        .flatMap(listPending)
        .reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), Infinity)
      return next === Infinity ? undefined : next
    },
    prune: async ({ before, recordsBefore = -Infinity, limit }) => {
      let [deliveryCount, eventCount, recordCount] = [0, 0, 0]
      for (const tables of organizations.values()) {
        deliveryCount += pruneDeliveries(tables, { before, limit: limit - deliveryCount })
        eventCount += pruneEvents(tables, { before, limit: limit - eventCount })
        recordCount += pruneRecords(tables, recordsBefore, limit)
      }
      return deliveryCount + eventCount + recordCount
    },
    erase: async ({ organizationId, callIds, participants, eventIds, now }) => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) return
      for (const callId of callIds) forgetCall(tables, callId)
      for (const { groupId, digits } of participants) tables.participants.get(groupId)?.delete(digits)
      const erased = new Set(eventIds.filter((id) => events.get(id)?.event.organizationId === organizationId))
      const isErased = ({ event }: EventRow | DeliveryRow): boolean => erased.has(event.id)
      for (const row of tables.deliveries.filter(isErased)) {
        deliveries.delete(getDeliveryId(row))
        cancel(row, now)
      }
      tables.deliveries = tables.deliveries.filter((row) => !isErased(row))
      tables.events = tables.events.filter((row) => !isErased(row))
      for (const id of erased) events.delete(id)
    },
  }
}
