import type { DatabaseSync } from 'node:sqlite'
import type { EventQuery, EventRecord, Page } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import { listEventFilters } from './event-filters.ts'
import type { Lanes, Recipient } from './lanes.ts'
import { createQueries } from './queries.ts'
import { insertInto, mapRows, mapTable } from './records.ts'

export type Events = {
  /** Stores an event and creates its deliveries. */
  publish(event: EventRecord, subscriptionId?: string): void
  list(query: EventQuery): Page<EventRecord>
}

const { columns, toRow, toRecord } = mapTable('events')
const recipients = mapRows<Recipient>({ subscription: 'integer', isDisabled: 'flag', isLaneTaken: 'flag' })

const hasDelivery = `exists (select 1 from deliveries where event = e.seq and subscription =
  (select seq from subscriptions where organizationId = ? and id = ? and revision > 0))`

export const createEvents = (database: DatabaseSync, lanes: Lanes): Events => {
  const insert = database.prepare(insertInto('events', [...columns, 'deliveries']))
  const match = database.prepare(
    `select seq as subscription, disabledReason is not null as isDisabled,
       exists (select 1 from deliveries where subscription = seq and subject = ? and laneState is not null) as isLaneTaken
     from subscriptions
     where organizationId = ? and channel = ? and digits = ?
       and exists (select 1 from json_each(events) where value in ('all', ?))
       and id = coalesce(?, id)
     order by seq`,
  )
  const query = createQueries(database)

  return {
    publish: (event, subscriptionId) => {
      const { organizationId, name, subject, channel, digits } = event
      const rows = match.all(subject, organizationId, channel, digits, name, subscriptionId ?? null)
      const { lastInsertRowid } = insert.run(...Object.values(toRow(event)), rows.length)
      for (const row of rows) lanes.add(Number(lastInsertRowid), event, recipients.toRecord(row))
    },
    list: (selection) => {
      const { organizationId, eventId, subject, subscriptionId, order, cursor, limit, maxExamined } =
        selection
      const isReverse = order === 'newest_first'
      const [follows, precedes] = isReverse ? ['<', '>'] : ['>', '<']
      const orderBy = isReverse ? 'e.seq desc' : 'e.seq'
      const where = {
        'e.organizationId = ?': organizationId,
        'e.id = ?': eventId,
        'e.subject = ?': subject,
        [`e.seq ${follows} ?`]: cursor === undefined ? undefined : Number(parseCursor(cursor, 1)[0]),
      }
      const [next] =
        maxExamined === undefined
          ? []
          : query({ select: 'select e.seq from events e', where, orderBy, limit: 1, offset: maxExamined })
      const end = next && Number(next.seq)
      return toPage({
        rows: query({
          select: 'select e.* from events e',
          where: {
            ...where,
            ...listEventFilters(selection),
            [hasDelivery]: subscriptionId === undefined ? undefined : [organizationId, subscriptionId],
            [`e.seq ${precedes} ?`]: end,
          },
          orderBy,
          limit: limit + 1,
        }),
        limit,
        isFollowed: !isReverse,
        toItem: toRecord,
        toCursor: ({ seq }) => String(seq),
        end: end === undefined ? undefined : String(isReverse ? end + 1 : end - 1),
      })
    },
  }
}
