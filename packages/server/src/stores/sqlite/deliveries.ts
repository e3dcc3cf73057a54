import type { DatabaseSync } from 'node:sqlite'
import type { AttemptRecord, DeliveryQuery, DeliveryRecord, Page } from '@wabakit/core'
import { parseDeliveryId } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type ReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import { mapTable } from './records.ts'

export type Deliveries = {
  list(query: DeliveryQuery): Page<DeliveryRecord>
  listAttempts(organizationId: string, deliveryId: string): AttemptRecord[]
}

const { toRecord } = mapTable('deliveries')
const attempts = mapTable('attempts')

export const createDeliveries = (database: DatabaseSync, read: ReadDeliveries): Deliveries => {
  const listAttempts = database.prepare(
    `select a.* from attempts a join deliveries d on d.event = a.event and d.subscription = a.subscription
       join subscriptions s on s.seq = d.subscription
     where a.event = ? and a.subscription = ? and d.organizationId = ? and s.revision > 0 order by a.number`,
  )

  return {
    list: (query) =>
      toPage({
        ...read({ ...query, limit: query.limit + 1 }),
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
  }
}
