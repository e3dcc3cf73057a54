import type { DeliveryChange, DeliveryRecord, Store } from '@wabakit/core'
import { newProgress, restartedFields, toPage } from '@wabakit/core/storage'
import { columns } from '../columns.ts'
import { type DeliveryKey, parseDeliveryId } from '../delivery-key.ts'
import { createReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import type { QueueChanges } from './queue-changes.ts'
import type { Access } from './record-access.ts'
import { mapRows } from './records.ts'

const rows = mapRows<DeliveryKey & DeliveryRecord & { isDisabled: boolean; state: string }>({
  ...columns.deliveries,
  event: 'integer',
  subscription: 'integer',
  isDisabled: 'flag',
  state: 'text',
})

/** Creates the operations that change deliveries at a user's request. */
export const createDeliveryChanges = ({ database, write }: Access, { noteChanged }: QueueChanges) => {
  const read = createReadDeliveries(database)
  const putBack = database.prepare(
    `update deliveries set state = 'fresh', version = version + 1, dueAt = ?,
       ${restartedFields.map((field) => `${field} = ${newProgress[field]}`).join(', ')}, finishedAt = null, webhookId = ? where event = ? and subscription = ?`,
  )
  const skip = database.prepare(
    `update deliveries set state = 'skipped', dueAt = null, finishedAt = ? where event = ? and subscription = ?`,
  )
  // A pending delivery that was never attempted is already due.
  const makeDue = database.prepare(
    `update deliveries set dueAt = ? where event = ? and subscription = ? and state <> 'fresh'`,
  )

  const change = (statement: typeof skip, request: DeliveryChange, statuses: readonly unknown[]) =>
    write(() => {
      const { organizationId, deliveryId, now } = request
      const [row] = read({ organizationId, deliveryId, limit: 1 }).rows
      if (!statuses.includes(row?.status)) return false
      const { event, subscription } = parseDeliveryId(deliveryId)
      statement.run(now, event, subscription)
      noteChanged(subscription)
      return true
    })

  return {
    resendDeliveries: ({ webhookIdSuffix, now, ...query }) =>
      write(() => {
        const { items, nextCursor } = toPage({
          ...read({ ...query, order: 'oldest_first', limit: query.limit + 1 }),
          limit: query.limit,
          toItem: rows.toRecord,
          toCursor: toDeliveryCursor,
        })
        const resent = items.filter(({ isDisabled, state }) => !isDisabled && state !== 'fresh')
        for (const { event, subscription, eventId, webhookId } of resent) {
          const newId = webhookIdSuffix === null ? webhookId : `${eventId}${webhookIdSuffix}`
          putBack.run(now, newId, event, subscription)
        }
        for (const subscription of new Set(resent.map((each) => each.subscription))) noteChanged(subscription)
        return { resent: resent.length, ...(nextCursor !== undefined && { nextCursor }) }
      }),
    cancelDelivery: (request) => change(skip, request, ['waiting', 'pending']),
    retryDelivery: (request) => change(makeDue, request, ['pending']),
  } satisfies Partial<Store>
}
