import type { DatabaseSync } from 'node:sqlite'
import { Channel } from '@wabakit/contract'
import type { Page, PageRequest, SaveOutcome, SubscriptionRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { parseCursor } from '../stores/cursor.ts'
import { jsonColumn } from './column.ts'
import type { Lanes } from './lanes.ts'
import { pageOf } from './page.ts'
import { createRevisions } from './revisions.ts'

/** A subscription as it is read. */
export const SubscriptionRow: z.ZodMiniType<SubscriptionRecord> = z.object({
  id: z.string(),
  organizationId: z.string(),
  revision: z.number(),
  channel: Channel,
  number: z.string(),
  digits: z.string(),
  url: z.string(),
  events: jsonColumn(z.union([z.literal('all'), z.array(z.string())])),
  secret: z.string(),
  previousSecret: z.nullable(jsonColumn(z.object({ secret: z.string(), expiresAt: z.number() }))),
  disabledReason: z.nullable(z.enum(['by_hand', 'gone', 'failing'])),
  failingSince: z.nullable(z.number()),
  createdAt: z.number(),
  updatedAt: z.number(),
})

const fields = [
  'revision',
  'channel',
  'number',
  'digits',
  'url',
  'events',
  'secret',
  'previousSecret',
  'disabledReason',
  'failingSince',
  'createdAt',
  'updatedAt',
]

/** The table of subscriptions. */
export type Subscriptions = {
  save(subscription: SubscriptionRecord): SaveOutcome
  find(organizationId: string, subscriptionId: string): SubscriptionRecord | undefined
  list(organizationId: string, page: PageRequest): Page<SubscriptionRecord>
  remove(organizationId: string, subscriptionId: string): boolean
}

/** Whether a change makes what is known of an endpoint void. */
const startsAnew = (next: SubscriptionRecord, current: SubscriptionRecord): boolean => {
  const isEnabledAgain = current.disabledReason !== null && next.disabledReason === null
  return isEnabledAgain || current.url !== next.url
}

/** The time since when a subscription fails, as a change leaves it. */
const failingSinceAfter = (
  next: SubscriptionRecord,
  current: SubscriptionRecord | undefined,
): number | null => {
  if (current === undefined) return next.failingSince
  return startsAnew(next, current) ? null : current.failingSince
}

/** Makes the access to the table. */
export const createSubscriptions = (database: DatabaseSync, lanes: Lanes): Subscriptions => {
  const write = createRevisions(database, { table: 'subscriptions', key: ['organizationId', 'id'], fields })
  const find = database.prepare('select * from subscriptions where organizationId = ? and id = ?')
  const list = database.prepare(
    'select * from subscriptions where organizationId = ? and seq > ? order by seq limit ?',
  )
  const forgetPace = database.prepare(`update subscriptions set pace = 'new' where seq = ?`)
  const remove = database.prepare('delete from subscriptions where organizationId = ? and id = ?')

  return {
    save: (next) => {
      const row = find.get(next.organizationId, next.id)
      const current = row && SubscriptionRow.parse(row)
      const outcome = write({
        revision: next.revision,
        key: [next.organizationId, next.id],
        fields: [
          next.channel,
          next.number,
          next.digits,
          next.url,
          JSON.stringify(next.events),
          next.secret,
          next.previousSecret && JSON.stringify(next.previousSecret),
          next.disabledReason,
          failingSinceAfter(next, current),
          next.createdAt,
          next.updatedAt,
        ],
      })
      if (outcome === 'stale' || row === undefined || current === undefined) return outcome
      if (startsAnew(next, current)) forgetPace.run(Number(row.seq))
      if (next.disabledReason !== null) lanes.skipAll(Number(row.seq), next.updatedAt)
      return outcome
    },
    find: (organizationId, subscriptionId) => {
      const row = find.get(organizationId, subscriptionId)
      return row && SubscriptionRow.parse(row)
    },
    list: (organizationId, { cursor = '0', limit }) =>
      pageOf({
        rows: list.all(organizationId, Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        item: (row) => SubscriptionRow.parse(row),
        cursor: ({ seq }) => String(seq),
      }),
    remove: (organizationId, subscriptionId) =>
      Number(remove.run(organizationId, subscriptionId).changes) > 0,
  }
}
