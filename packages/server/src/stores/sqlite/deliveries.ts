import type { Store } from '@wabakit/core'
import { toPage } from '@wabakit/core/storage'
import { formatDeliveryId, parseDeliveryId } from '../delivery-key.ts'
import { createReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import type { Access } from './record-access.ts'
import { mapTable } from './records.ts'

const { toRecord } = mapTable('deliveries')
const attempts = mapTable('attempts')

export const createDeliveries = ({ database, read, readPage }: Access) => {
  const readDeliveries = createReadDeliveries(database)
  const listAttempts = database.prepare(
    `select a.* from attempts a join deliveries d on d.event = a.event and d.subscription = a.subscription
       join subscriptions s on s.position = d.subscription
     where a.event = ? and a.subscription = ? and d.organizationId = ? and s.revision > 0 order by a.number`,
  )
  const listLastAttempts = database.prepare(
    `select a.* from json_each(?)
       cross join deliveries d on d.event = json_each.value ->> 'event'
         and d.subscription = json_each.value ->> 'subscription'
       cross join attempts a on a.event = d.event and a.subscription = d.subscription and a.number = d.attempts
       cross join subscriptions s on s.position = d.subscription
     where d.organizationId = ? and s.revision > 0`,
  )

  return {
    listDeliveries: (query) =>
      readPage(query, () =>
        toPage({
          ...readDeliveries({ ...query, limit: query.limit + 1 }),
          limit: query.limit,
          isFollowed: query.order !== 'newest_first',
          toItem: toRecord,
          toCursor: toDeliveryCursor,
        }),
      ),
    listAttempts: (organizationId, deliveryId) =>
      read(() => {
        const key = parseDeliveryId(deliveryId)
        return listAttempts
          .all(key.event, key.subscription, organizationId)
          .map((row) => ({ deliveryId, ...attempts.toRecord(row) }))
      }),
    listLastAttempts: (organizationId, deliveryIds) =>
      read(() =>
        listLastAttempts.all(JSON.stringify(deliveryIds.map(parseDeliveryId)), organizationId).map((row) => {
          const key = { event: Number(row.event), subscription: Number(row.subscription) }
          return { deliveryId: formatDeliveryId(key), ...attempts.toRecord(row) }
        }),
      ),
  } satisfies Partial<Store>
}
