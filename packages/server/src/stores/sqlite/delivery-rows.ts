import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryQuery } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { parseDeliveryId } from '../delivery-id.ts'
import { listEventFilters } from './event-filters.ts'
import { type Conditions, createQueries, type Row } from './queries.ts'

/** `leaseEnd` is a function of the connection: leases are in memory. */
const isClaimed = "d.status = 'pending' and leaseEnd(d.event, d.subscription) is not null"
const status = `iif(${isClaimed}, 'claimed', d.status)`

/** Rows of deliveries in the order of the query, with their keys and `isDisabled` of their subscriptions. */
export type DeliveryRows = {
  readonly rows: Row[]
  /** The cursor of what follows if there are fewer rows than `limit` because enough was examined. */
  readonly end: string | undefined
}

export type ReadDeliveries = (query: DeliveryQuery) => DeliveryRows

/** Returns the cursor of a page that ends with this row. */
export const toDeliveryCursor = ({ event, subscription }: Row): string => `${event}.${subscription}`

/** The columns of a {@link DeliveryRecord}, with those of {@link ReadDeliveries}. */
const columns = `
  'dlv_' || d.event || '_' || d.subscription as id, d.organizationId, s.id as subscriptionId, e.id as eventId,
  e.name as eventName, d.subject, coalesce(d.webhookId, e.id) as webhookId, d.attempts, d.failures, d.deferrals,
  d.deferredMs, d.createdAt, d.finishedAt, ${status} as status,
  iif(${isClaimed}, leaseEnd(d.event, d.subscription), d.dueAt) as dueAt, d.event, d.subscription,
  s.disabledReason is not null as isDisabled`

/** How a query finds its rows: an index of the first table has them in order. */
type Path = {
  readonly first: string
  readonly second: string
  /** The keys of the first table. */
  readonly event: 'd.event' | 'e.seq'
  readonly subscription: 'd.subscription' | '0'
  /** The conditions that the index answers. */
  readonly where: Conditions
}

const excludesDelivered = ({ statuses }: DeliveryQuery): boolean => statuses?.includes('delivered') === false

/** Whether the query selects failed deliveries only. Many others may be undelivered because they are in progress. */
const selectsFailed = ({ statuses }: DeliveryQuery): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true

const throughDeliveries = (first: string, where: Conditions): Path => ({
  first,
  second: 'events e on e.seq = d.event',
  event: 'd.event',
  subscription: 'd.subscription',
  where,
})

const throughEvents = (where: Conditions): Path => ({
  first: 'events e',
  second: 'deliveries d on d.event = e.seq',
  event: 'e.seq',
  subscription: '0',
  where,
})

/** Chooses the index that skips the fewest rows. SQLite has no statistics to choose by. */
const choosePath = (query: DeliveryQuery): Path => {
  const { organizationId, deliveryId, eventId, subject, subscriptionId } = query
  if (deliveryId !== undefined) {
    const { event, subscription } = parseDeliveryId(deliveryId)
    return throughDeliveries('deliveries d', { '(d.event, d.subscription) = (?, ?)': [event, subscription] })
  }
  if (eventId !== undefined) {
    return throughDeliveries('deliveries d', { 'd.event = (select seq from events where id = ?)': eventId })
  }
  if (subject !== undefined) {
    return throughEvents({ 'e.organizationId = ?': organizationId, 'e.subject = ?': subject })
  }
  if (subscriptionId !== undefined) {
    return throughDeliveries('deliveries d indexed by deliveriesBySubscription', {
      'd.subscription = (select seq from subscriptions where organizationId = ? and id = ?)': [
        organizationId,
        subscriptionId,
      ],
    })
  }
  const ofOrganization = { 'd.organizationId = ?': organizationId }
  if (selectsFailed(query)) {
    const where = { ...ofOrganization, "d.status in ('exhausted', 'skipped')": [] }
    return throughDeliveries('deliveries d indexed by failed', where)
  }
  if (excludesDelivered(query)) {
    const where = { ...ofOrganization, "d.status <> 'delivered'": [] }
    return throughDeliveries('deliveries d indexed by undelivered', where)
  }
  return throughEvents({ 'e.organizationId = ?': organizationId })
}

/** The conditions that the index of a path may not answer. */
const listFilters = (query: DeliveryQuery): Conditions => ({
  'd.organizationId = ?': query.organizationId,
  's.revision > 0': [],
  's.id = ?': query.subscriptionId,
  [`${status} in (select value from json_each(?))`]: query.statuses && JSON.stringify(query.statuses),
  [`exists (select 1 from attempts a where a.event = d.event and a.subscription = d.subscription
     and a.number = d.attempts and coalesce(a.status, 0) in (select value from json_each(?)))`]:
    query.responses && JSON.stringify(query.responses),
  ...listEventFilters(query),
})

export const createReadDeliveries = (database: DatabaseSync): ReadDeliveries => {
  const read = createQueries(database)
  return (query) => {
    const { order, limit, maxExamined } = query
    const path = choosePath(query)
    const { event } = path
    const isReverse = order === 'newest_first'
    const [follows, precedes, direction] = isReverse ? ['<', '>', 'desc'] : ['>', '<', 'asc']
    /** Rows on one side of a key. The first condition is the one that an index answers. */
    const beside = (side: string, subscription: string, key: readonly number[] | undefined): Conditions => ({
      [`${event} ${side}= ?`]: key?.[0],
      [`(${event}, ${subscription}) ${side} (?, ?)`]: key,
    })
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor, 2).map(Number)

    const [next] =
      maxExamined === undefined
        ? []
        : read({
            select: `select ${event} as event, ${path.subscription} as subscription from ${path.first}`,
            where: { ...path.where, ...beside(follows, path.subscription, cursor) },
            orderBy: `event ${direction}, subscription ${direction}`,
            limit: 1,
            offset: maxExamined,
          })
    const end = next && ([Number(next.event), Number(next.subscription)] as const)
    const rows = read({
      select: `select ${columns} from ${path.first} cross join ${path.second}
        cross join subscriptions s on s.seq = d.subscription`,
      where: {
        ...path.where,
        ...listFilters(query),
        ...beside(follows, 'd.subscription', cursor),
        ...beside(precedes, 'd.subscription', end),
      },
      orderBy: `${event} ${direction}, d.subscription ${direction}`,
      limit,
    })
    return { rows, end: end && `${end[0]}.${isReverse ? end[1] + 1 : Math.max(0, end[1] - 1)}` }
  }
}
