import type { EventRecord, Store } from '@wabakit/core'
import { parsePosition, toPage } from '@wabakit/core/storage'
import { listEventFilters } from './event-filters.ts'
import type { Lanes, Recipient } from './lanes.ts'
import { createQueries } from './queries.ts'
import type { Access } from './record-access.ts'
import { insertInto, mapRows, mapTable } from './records.ts'

/** Stores an event and creates its deliveries, in the caller's transaction. */
export type Publish = (event: EventRecord, subscriptionId?: string) => void

export type Events = Pick<Store, 'addEvent' | 'addEventTo' | 'listEvents'> & { readonly publish: Publish }

const { columns, toValues, toRecord } = mapTable('events')
const recipients = mapRows<Recipient & { id: string }>({
  id: 'text',
  subscription: 'integer',
  isDisabled: 'flag',
})

const hasDelivery = `exists (select 1 from deliveries where event = e.position and subscription =
  (select position from subscriptions where organizationId = ? and id = ? and revision > 0))`

export const createEvents = ({ database, remember, readPage, writeTo }: Access, lanes: Lanes): Events => {
  const insert = database.prepare(insertInto('events', [...columns, 'deliveries']))
  const match = database.prepare(
    `select id, position as subscription, disabledReason is not null as isDisabled from subscriptions
     where organizationId = ? and channel = ? and digits = ?
       and exists (select 1 from json_each(events) where value in ('all', ?))
     order by position`,
  )
  const findRecipients = remember(['subscriptions'], (...key: [string, string, string, string]) =>
    match.all(...key).map(recipients.toRecord),
  )
  const queries = createQueries(database)

  const publish: Publish = (event, subscriptionId) => {
    const { organizationId, name, channel, digits } = event
    const matching = findRecipients(organizationId, channel, digits, name)
    const found = subscriptionId === undefined ? matching : matching.filter(({ id }) => id === subscriptionId)
    const { lastInsertRowid } = insert.run(...toValues(event), found.length)
    for (const recipient of found) lanes.add(Number(lastInsertRowid), event, recipient)
  }

  return {
    publish,
    addEvent: (event) => writeTo(event.organizationId, () => publish(event)),
    addEventTo: (event, subscriptionId) =>
      writeTo(event.organizationId, () => publish(event, subscriptionId)),
    listEvents: (query) =>
      readPage(query, () => {
        const { organizationId, eventId, subject, subscriptionId, order, cursor, limit } = query
        const isReverse = order === 'newest_first'
        const [follows, precedes] = isReverse ? ['<', '>'] : ['>', '<']
        const orderBy = isReverse ? 'e.position desc' : 'e.position'
        const where = {
          'e.organizationId = ?': organizationId,
          'e.id = ?': eventId,
          'e.subject = ?': subject,
          [`e.position ${follows} ?`]: cursor === undefined ? undefined : Number(parsePosition(cursor)),
        }
        const select = 'select e.position, octet_length(e.payload) as bytes from events e'
        const next = queries.findEnd({ select, where, orderBy }, query)
        const end = next && Number(next.position)
        return toPage({
          rows: queries.read({
            select: 'select e.* from events e',
            where: {
              ...where,
              ...listEventFilters(query),
              [hasDelivery]: subscriptionId === undefined ? undefined : [organizationId, subscriptionId],
              [`e.position ${precedes} ?`]: end,
            },
            orderBy,
            limit: limit + 1,
          }),
          limit,
          isFollowed: !isReverse,
          toItem: toRecord,
          toCursor: ({ position }) => String(position),
          end: end === undefined ? undefined : String(isReverse ? end + 1 : end - 1),
        })
      }),
  }
}
