import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryQuery } from '@wabakit/core'
import { excludesDelivered, parsePositions, progressFields, selectsFailed } from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-key.ts'
import { listEventFilters } from './event-filters.ts'
import { isHead, isRetry } from './lanes.ts'
import { type Conditions, createQueries, type Row } from './queries.ts'

const status = `case
  when ${isRetry} then 'pending'
  when d.state = 'fresh' then iif(${isHead}, 'pending', 'waiting')
  else d.state end`

/** Returns the cursor of a page that ends with this row. */
export const toDeliveryCursor = ({ event, subscription }: Row): string => `${event}.${subscription}`

/** The columns of a {@link DeliveryRecord}, its key and state, and `isDisabled` of its subscription. */
const columns = `
  'dlv_' || d.event || '_' || d.subscription as id, d.organizationId, s.id as subscriptionId, e.id as eventId,
  e.name as eventName, d.subject, coalesce(d.webhookId, e.id) as webhookId,
  ${progressFields.map((field) => `d.${field}`).join(', ')}, e.occurredAt as createdAt, d.finishedAt, d.state, ${status} as status,
  iif(${status} = 'pending', d.dueAt, null) as dueAt, d.event, d.subscription, s.disabledReason is not null as isDisabled`

/** The access path of a query: an index of the first table provides the rows in order. */
type Path = {
  readonly first: string
  readonly second: string
  /** The first table, joined with the events of its rows. */
  readonly payloads: string
  /** The keys of the first table. */
  readonly event: 'd.event' | 'e.position'
  readonly subscription: 'd.subscription' | '0'
  /** The conditions covered by the index. */
  readonly where: Conditions
}

/** A subscription's position above all others: a cursor with it stands after all deliveries of an event. */
const aboveSubscriptions = 2 ** 40

/** Returns the cursor of a page that ends before this key. The next page starts with the key. */
const formatEnd = ([event, subscription]: readonly [number, number], isReverse: boolean): string => {
  if (isReverse) return `${event}.${subscription + 1}`
  return subscription > 0 ? `${event}.${subscription - 1}` : `${event - 1}.${aboveSubscriptions}`
}

const throughDeliveries = (first: string, where: Conditions): Path => ({
  first,
  second: 'events e on e.position = d.event',
  payloads: `${first} cross join events e on e.position = d.event`,
  event: 'd.event',
  subscription: 'd.subscription',
  where,
})

const throughEvents = (where: Conditions): Path => ({
  first: 'events e',
  second: 'deliveries d on d.event = e.position',
  payloads: 'events e',
  event: 'e.position',
  subscription: '0',
  where,
})

/** Chooses the index that is likely to skip the fewest rows. SQLite cannot choose it, because it has no statistics. */
const choosePath = (query: DeliveryQuery): Path => {
  const { organizationId, deliveryId, eventId, subject, subscriptionId } = query
  if (deliveryId !== undefined) {
    const { event, subscription } = parseDeliveryId(deliveryId)
    return throughDeliveries('deliveries d', { '(d.event, d.subscription) = (?, ?)': [event, subscription] })
  }
  if (eventId !== undefined) {
    return throughDeliveries('deliveries d', {
      'd.event = (select position from events where id = ?)': eventId,
    })
  }
  if (subject !== undefined) {
    return throughEvents({ 'e.organizationId = ?': organizationId, 'e.subject = ?': subject })
  }
  if (subscriptionId !== undefined) {
    return throughDeliveries('deliveries d indexed by deliveriesBySubscription', {
      'd.subscription = (select position from subscriptions where organizationId = ? and id = ?)': [
        organizationId,
        subscriptionId,
      ],
    })
  }
  const ofOrganization = { 'd.organizationId = ?': organizationId }
  if (selectsFailed(query)) {
    const where = { ...ofOrganization, "d.state in ('exhausted', 'skipped')": [] }
    return throughDeliveries('deliveries d indexed by failed', where)
  }
  if (excludesDelivered(query)) {
    const where = { ...ofOrganization, "d.state <> 'delivered'": [] }
    return throughDeliveries('deliveries d indexed by undelivered', where)
  }
  return throughEvents({ 'e.organizationId = ?': organizationId })
}

/** The condition that one of the attempts matches. */
const findAttempt = ({ anyResponses, attemptedFrom, attemptedBefore }: DeliveryQuery): Conditions => {
  const filters = Object.entries({
    'coalesce(a.status, 0) in (select value from json_each(?))': anyResponses && JSON.stringify(anyResponses),
    'a.startedAt >= ?': attemptedFrom,
    'a.startedAt < ?': attemptedBefore,
  }).flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
  if (filters.length === 0) return {}
  return {
    [`exists (select 1 from attempts a where a.event = d.event and a.subscription = d.subscription
     and ${filters.map(({ sql }) => sql).join(' and ')})`]: filters.map(({ value }) => value),
  }
}

/** The conditions that a path's index may not cover. */
const listFilters = (query: DeliveryQuery): Conditions => ({
  'd.organizationId = ?': query.organizationId,
  's.revision > 0': [],
  's.id = ?': query.subscriptionId,
  'd.finishedAt >= ?': query.finishedFrom,
  'd.finishedAt < ?': query.finishedBefore,
  [`${status} in (select value from json_each(?))`]: query.statuses && JSON.stringify(query.statuses),
  [`exists (select 1 from attempts a where a.event = d.event and a.subscription = d.subscription
     and a.number = d.attempts and coalesce(a.status, 0) in (select value from json_each(?)))`]:
    query.responses && JSON.stringify(query.responses),
  ...findAttempt(query),
  ...listEventFilters(query),
})

/**
 * Returns a function that reads deliveries in the query's order. Its `end` is the cursor of the rows after those that the page
 * may examine, if there are any.
 */
export const createReadDeliveries = (database: DatabaseSync) => {
  const queries = createQueries(database)
  return (query: DeliveryQuery) => {
    const { order, limit, text } = query
    const path = choosePath(query)
    const { event } = path
    const isReverse = order === 'newest_first'
    const [follows, precedes, direction] = isReverse ? ['<', '>', 'desc'] : ['>', '<', 'asc']
    /** Returns the conditions for rows on one side of a key. An index covers the first condition. */
    const beside = (side: string, subscription: string, key: readonly number[] | undefined): Conditions => ({
      [`${event} ${side}= ?`]: key?.[0],
      [`(${event}, ${subscription}) ${side} (?, ?)`]: key,
    })
    const cursor = query.cursor === undefined ? undefined : parsePositions(query.cursor).map(Number)

    const next = queries.findEnd(
      {
        select: `select ${event} as event, ${path.subscription} as subscription${
          text === undefined
            ? ` from ${path.first}`
            : `, octet_length(e.payload) as bytes from ${path.payloads}`
        }`,
        where: { ...path.where, ...beside(follows, path.subscription, cursor) },
        orderBy: `event ${direction}, subscription ${direction}`,
      },
      query,
    )
    const isWholeEvent = isReverse && path.subscription === '0'
    const end =
      next && ([Number(next.event), isWholeEvent ? aboveSubscriptions : Number(next.subscription)] as const)
    const rows = queries.read({
      select: `select ${columns} from ${path.first} cross join ${path.second}
        cross join subscriptions s on s.position = d.subscription`,
      where: {
        ...path.where,
        ...listFilters(query),
        ...beside(follows, 'd.subscription', cursor),
        ...beside(precedes, 'd.subscription', end),
      },
      orderBy: `${event} ${direction}, d.subscription ${direction}`,
      limit,
    })
    return { rows, end: end && formatEnd(end, isReverse) }
  }
}
