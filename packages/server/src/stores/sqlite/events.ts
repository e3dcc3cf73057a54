import type { DatabaseSync } from 'node:sqlite'
import type { EventQuery, EventRecord, Page } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import type { Lanes, Recipient } from './lanes.ts'
import { createQueries } from './queries.ts'
import { insertInto, mapRows, mapTable } from './records.ts'

export type Events = {
  /** Stores an event and creates its deliveries. */
  publish(event: EventRecord): void
  list(query: EventQuery): Page<EventRecord>
}

const { columns, toRow, toRecord } = mapTable('events')
const recipients = mapRows<Recipient>({ subscription: 'integer', isDisabled: 'flag', isLaneTaken: 'flag' })

export const createEvents = (database: DatabaseSync, lanes: Lanes): Events => {
  const insert = database.prepare(insertInto('events', [...columns, 'deliveries']))
  const match = database.prepare(
    `select seq as subscription, disabledReason is not null as isDisabled,
       exists (select 1 from deliveries where subscription = seq and subject = ? and laneState is not null) as isLaneTaken
     from subscriptions
     where organizationId = ? and channel = ? and digits = ?
       and exists (select 1 from json_each(events) where value in ('all', ?))
     order by seq`,
  )
  const query = createQueries(database)

  return {
    publish: (event) => {
      const { organizationId, name, subject, channel, digits } = event
      const rows = match.all(subject, organizationId, channel, digits, name)
      const { lastInsertRowid } = insert.run(...Object.values(toRow(event)), rows.length)
      for (const row of rows) lanes.add(Number(lastInsertRowid), event, recipients.toRecord(row))
    },
    list: ({ organizationId, eventId, name, subject, order, cursor, limit }) => {
      const isReverse = order === 'newest_first'
      return toPage({
        rows: query({
          select: 'select * from events',
          where: {
            'organizationId = ?': organizationId,
            'id = ?': eventId,
            'name = ?': name,
            'subject = ?': subject,
            [isReverse ? 'seq < ?' : 'seq > ?']:
              cursor === undefined ? undefined : Number(parseCursor(cursor, 1)[0]),
          },
          orderBy: isReverse ? 'seq desc' : 'seq',
          limit: limit + 1,
        }),
        limit,
        isFollowed: !isReverse,
        toItem: toRecord,
        toCursor: ({ seq }) => String(seq),
      })
    },
  }
}
