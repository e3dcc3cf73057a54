import type { DatabaseSync } from 'node:sqlite'
import { Channel } from '@wabakit/contract'
import type { EventQuery, EventRecord, Page } from '@wabakit/core'
import * as z from 'zod/mini'
import { parseCursor } from '../stores/cursor.ts'
import { flagColumn } from './column.ts'
import type { Lanes } from './lanes.ts'
import { pageOf } from './page.ts'
import { createQueries } from './queries.ts'

const EventRow: z.ZodMiniType<EventRecord> = z.object({
  id: z.string(),
  organizationId: z.string(),
  name: z.string(),
  subject: z.string(),
  channel: Channel,
  digits: z.string(),
  payload: z.string(),
  waitsFor: z.nullable(z.string()),
  occurredAt: z.number(),
})

const RecipientRow = z.object({ subscription: z.number(), isDisabled: flagColumn, isLaneTaken: flagColumn })

/** The table of events. */
export type Events = {
  /** Keeps an event, and makes its deliveries. */
  tell(event: EventRecord): void
  list(query: EventQuery): Page<EventRecord>
}

/** Makes the access to the table. */
export const createEvents = (database: DatabaseSync, lanes: Lanes): Events => {
  const insert = database.prepare(
    `insert into events (id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt, deliveries)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const match = database.prepare(
    `select seq as subscription, disabledReason is not null as isDisabled,
       exists (select 1 from deliveries where subscription = seq and subject = ? and place is not null) as isLaneTaken
     from subscriptions
     where organizationId = ? and channel = ? and digits = ?
       and exists (select 1 from json_each(events) where value in ('all', ?))
     order by seq`,
  )
  const query = createQueries(database)

  return {
    tell: (event) => {
      const { id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt } = event
      const recipients = match.all(subject, organizationId, channel, digits, name)
      const values = [id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt]
      const { lastInsertRowid } = insert.run(...values, recipients.length)
      for (const row of recipients) lanes.enter(Number(lastInsertRowid), event, RecipientRow.parse(row))
    },
    list: ({ organizationId, eventId, name, subject, order, cursor, limit }) => {
      const isReverse = order === 'newest_first'
      return pageOf({
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
        item: (row) => EventRow.parse(row),
        cursor: ({ seq }) => String(seq),
      })
    },
  }
}
