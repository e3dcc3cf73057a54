import type { DatabaseSync } from 'node:sqlite'
import type { AttemptRecord, DeliveryQuery, DeliveryRecord, Page, PruneRequest } from '@wabakit/core'
import * as z from 'zod/mini'
import { parseDeliveryId } from '../stores/delivery-id.ts'
import { flagColumn } from './column.ts'
import { DeliveryRow } from './delivery-row.ts'
import { deliveryCursor, type ReadDeliveries } from './delivery-rows.ts'
import { pageOf } from './page.ts'

/** The tables of deliveries and of their attempts. */
export type Deliveries = {
  list(query: DeliveryQuery): Page<DeliveryRecord>
  listAttempts(organizationId: string, deliveryId: string): AttemptRecord[]
  prune(request: PruneRequest): number
}

const AttemptRow = z.object({
  number: z.number(),
  startedAt: z.number(),
  durationMs: z.number(),
  url: z.string(),
  status: z.nullable(z.number()),
  error: z.nullable(z.string()),
  responseBody: z.nullable(z.string()),
  succeeded: flagColumn,
})

/** Makes the access to the tables. */
export const createDeliveries = (database: DatabaseSync, read: ReadDeliveries): Deliveries => {
  const listAttempts = database.prepare(
    `select a.* from attempts a join deliveries d on d.event = a.event and d.subscription = a.subscription
     where a.event = ? and a.subscription = ? and d.organizationId = ? order by a.number`,
  )
  const pruneDeliveries = database.prepare(
    `delete from deliveries where (event, subscription) in
       (select event, subscription from deliveries where finishedAt < ? order by finishedAt limit ?)`,
  )
  const pruneEvents = database.prepare(
    `delete from events where seq in
       (select seq from events where deliveries = 0 and occurredAt < ? order by occurredAt limit ?)`,
  )

  return {
    list: (query) =>
      pageOf({
        rows: read({ ...query, limit: query.limit + 1 }),
        limit: query.limit,
        isFollowed: query.order !== 'newest_first',
        item: (row) => DeliveryRow.parse(row),
        cursor: deliveryCursor,
      }),
    listAttempts: (organizationId, deliveryId) => {
      const key = parseDeliveryId(deliveryId)
      return listAttempts
        .all(key.event, key.subscription, organizationId)
        .map((row) => ({ deliveryId, ...AttemptRow.parse(row) }))
    },
    prune: ({ before, limit }) =>
      Number(pruneDeliveries.run(before, limit).changes) + Number(pruneEvents.run(before, limit).changes),
  }
}
