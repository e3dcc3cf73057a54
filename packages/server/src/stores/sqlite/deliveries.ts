import type { DatabaseSync } from 'node:sqlite'
import type { AttemptRecord, DeliveryQuery, DeliveryRecord, Page } from '@wabakit/core'
import { formatDeliveryId, parseDeliveryId } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type ReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import { mapTable } from './records.ts'

export type Deliveries = {
  list(query: DeliveryQuery): Page<DeliveryRecord>
  listAttempts(organizationId: string, deliveryId: string): AttemptRecord[]
  listLastAttempts(organizationId: string, deliveryIds: readonly string[]): AttemptRecord[]
}

const { toRecord } = mapTable('deliveries')
const attempts = mapTable('attempts')

export const createDeliveries = (database: DatabaseSync, read: ReadDeliveries): Deliveries => {
  const listAttempts = database.prepare(
    `select a.* from attempts a join deliveries d on d.event = a.event and d.subscription = a.subscription
       join subscriptions s on s.seq = d.subscription
     where a.event = ? and a.subscription = ? and d.organizationId = ? and s.revision > 0 order by a.number`,
  )

  const listLastAttempts = database.prepare(
    `select a.* from json_each(?)
       cross join deliveries d on d.event = json_each.value ->> 'event'
         and d.subscription = json_each.value ->> 'subscription'
       cross join attempts a on a.event = d.event and a.subscription = d.subscription and a.number = d.attempts
       cross join subscriptions s on s.seq = d.subscription
     where d.organizationId = ? and s.revision > 0`,
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
    listLastAttempts: (organizationId, deliveryIds) =>
      listLastAttempts.all(JSON.stringify(deliveryIds.map(parseDeliveryId)), organizationId).map((row) => {
        const key = { event: Number(row.event), subscription: Number(row.subscription) }
        return { deliveryId: formatDeliveryId(key), ...attempts.toRecord(row) }
      }),
  }
}
