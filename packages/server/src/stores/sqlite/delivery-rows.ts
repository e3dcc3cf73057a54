import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryQuery } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { parseDeliveryId } from '../delivery-id.ts'
import { createQueries, type Row } from './queries.ts'

/** `leaseEnd` is a function of the connection: leases are in memory. */
const isClaimed = "d.status = 'pending' and leaseEnd(d.event, d.subscription) is not null"
const status = `iif(${isClaimed}, 'claimed', d.status)`

/** Reads deliveries in the order of the query, with their keys and `isDisabled` of their subscriptions. */
export type ReadDeliveries = (query: DeliveryQuery) => Row[]

/** Returns the cursor of a page that ends with this row. */
export const toDeliveryCursor = ({ event, subscription }: Row): string => `${event}.${subscription}`

/** The columns of a {@link DeliveryRecord}, with those of {@link ReadDeliveries}. */
const columns = `
  'dlv_' || d.event || '_' || d.subscription as id, d.organizationId, s.id as subscriptionId, e.id as eventId,
  e.name as eventName, d.subject, coalesce(d.webhookId, e.id) as webhookId, d.attempts, d.failures, d.deferrals,
  d.deferredMs, d.createdAt, d.finishedAt, ${status} as status,
  iif(${isClaimed}, leaseEnd(d.event, d.subscription), d.dueAt) as dueAt, d.event, d.subscription,
  s.disabledReason is not null as isDisabled`

/** The tables of a query, and the column that has the rows in order. */
type Path = { readonly from: string; readonly seq: 'd.event' | 'e.seq' }

const excludesDelivered = ({ statuses }: DeliveryQuery): boolean => statuses?.includes('delivered') === false

/** Whether the query selects failed deliveries only. Many others may be undelivered because they are in progress. */
const selectsFailed = ({ statuses }: DeliveryQuery): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true

/** Chooses the index that skips the fewest rows. SQLite has no statistics to choose by. */
const choosePath = (query: DeliveryQuery): Path => {
  const through = (deliveries: string): Path => ({
    from: `${deliveries} cross join events e on e.seq = d.event`,
    seq: 'd.event',
  })
  if (query.deliveryId !== undefined || query.eventId !== undefined) return through('deliveries d')
  if (query.subscriptionId !== undefined) return through('deliveries d indexed by deliveriesBySubscription')
  if (selectsFailed(query)) return through('deliveries d indexed by failed')
  if (excludesDelivered(query)) return through('deliveries d indexed by undelivered')
  return { from: 'events e cross join deliveries d on d.event = e.seq', seq: 'e.seq' }
}

export const createReadDeliveries = (database: DatabaseSync): ReadDeliveries => {
  const read = createQueries(database)
  return (query) => {
    const { organizationId, deliveryId, eventId, subscriptionId, statuses, order, limit } = query
    const key = deliveryId === undefined ? undefined : parseDeliveryId(deliveryId)
    const [event, subscription] = query.cursor === undefined ? [] : parseCursor(query.cursor, 2).map(Number)
    const { from, seq } = choosePath(query)
    const [follows, direction] = order === 'newest_first' ? ['<', 'desc'] : ['>', 'asc']
    return read({
      select: `select ${columns} from ${from} cross join subscriptions s on s.seq = d.subscription`,
      where: {
        'd.organizationId = ?': organizationId,
        'e.organizationId = ?': organizationId,
        's.revision > 0': [],
        '(d.event, d.subscription) = (?, ?)': key && [key.event, key.subscription],
        'd.event = (select seq from events where id = ?)': eventId,
        'd.subscription = (select seq from subscriptions where organizationId = ? and id = ?)':
          subscriptionId === undefined ? undefined : [organizationId, subscriptionId],
        "d.status <> 'delivered'": excludesDelivered(query) ? [] : undefined,
        "d.status in ('exhausted', 'skipped')": selectsFailed(query) ? [] : undefined,
        [`${status} in (select value from json_each(?))`]: statuses && JSON.stringify(statuses),
        // A delivery is created when its event occurs.
        'd.createdAt >= ?': query.occurredFrom,
        'd.createdAt < ?': query.occurredBefore,
        [`${seq} ${follows}= ?`]: event,
        [`(d.event, d.subscription) ${follows} (?, ?)`]:
          event === undefined ? undefined : [event, subscription ?? 0],
      },
      orderBy: `${seq} ${direction}, d.subscription ${direction}`,
      limit,
    })
  }
}
