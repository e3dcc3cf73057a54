import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryChange } from '@wabakit/core'
import { parseDeliveryId } from '../delivery-id.ts'
import type { ReadDeliveries } from './delivery-rows.ts'
import type { QueueNews } from './queue-news.ts'

/** Changes of one delivery by request. */
export type DeliverySteps = {
  /** See {@link Store.cancelDelivery}. */
  cancel(request: DeliveryChange): boolean
  /** See {@link Store.retryDelivery}. */
  retry(request: DeliveryChange): boolean
}

export type DeliveryStepsOptions = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly news: QueueNews
}

export const createDeliverySteps = ({ database, read, news }: DeliveryStepsOptions): DeliverySteps => {
  const skip = database.prepare(
    `update deliveries set state = 'skipped', dueAt = null, finishedAt = ? where event = ? and subscription = ?`,
  )
  // A delivery that was never attempted is due already.
  const makeDue = database.prepare(
    `update deliveries set dueAt = ? where event = ? and subscription = ? and state <> 'fresh'`,
  )

  const change = (statement: typeof skip, request: DeliveryChange, statuses: readonly unknown[]): boolean => {
    const { organizationId, deliveryId, now } = request
    const [row] = read({ organizationId, deliveryId, limit: 1 }).rows
    if (!statuses.includes(row?.status)) return false
    const { event, subscription } = parseDeliveryId(deliveryId)
    statement.run(now, event, subscription)
    news.noteChanged(subscription)
    return true
  }

  return {
    cancel: (request) => change(skip, request, ['waiting', 'pending']),
    retry: (request) => change(makeDue, request, ['pending']),
  }
}
