import type { DatabaseSync } from 'node:sqlite'
import type { AttemptRecord, DeliveryQuery, DeliveryRecord, Page, PruneRequest } from '@wabakit/core'
import { parseDeliveryId } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type ReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import { mapTable } from './records.ts'

export type Deliveries = {
  list(query: DeliveryQuery): Page<DeliveryRecord>
  listAttempts(organizationId: string, deliveryId: string): AttemptRecord[]
  prune(request: PruneRequest): number
}

const { toRecord } = mapTable('deliveries')
const attempts = mapTable('attempts')

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
      toPage({
        rows: read({ ...query, limit: query.limit + 1 }),
        limit: query.limit,
        isFollowed: query.order !== 'newest_first',
        toItem: toRecord,
        toCursor: toDeliveryCursor,
      }),
    listAttempts: (organizationId, deliveryId) => {
      const key = parseDeliveryId(deliveryId)
      return listAttempts
        .all(key.event, key.subscription, organizationId)
        .map((row) => ({ deliveryId, ...attempts.toRecord(row) }))
    },
    prune: ({ before, limit }) =>
      Number(pruneDeliveries.run(before, limit).changes) + Number(pruneEvents.run(before, limit).changes),
  }
}
