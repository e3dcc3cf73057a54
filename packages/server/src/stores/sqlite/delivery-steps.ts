import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryRequestAt } from '@wabakit/core'
import { parseDeliveryId } from '../delivery-id.ts'
import type { ReadDeliveries } from './delivery-rows.ts'
import type { DueTimes } from './due-times.ts'
import type { Lanes } from './lanes.ts'

/** Changes of one delivery by request. */
export type DeliverySteps = {
  /** See {@link Store.cancelDelivery}. */
  cancel(request: DeliveryRequestAt): boolean
  /** See {@link Store.retryDelivery}. */
  retry(request: DeliveryRequestAt): boolean
}

export type DeliveryStepsOptions = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly lanes: Lanes
  readonly dueTimes: DueTimes
  /** Called when a delivery becomes due. */
  readonly onDue: () => void
}

export const createDeliverySteps = (options: DeliveryStepsOptions): DeliverySteps => {
  const { database, read, lanes, dueTimes, onDue } = options
  const skip = database.prepare(
    `update deliveries set status = 'skipped', laneState = null, dueAt = null, finishedAt = ?
     where event = ? and subscription = ?`,
  )
  const makeDue = database.prepare('update deliveries set dueAt = ? where event = ? and subscription = ?')

  const find = ({ organizationId, deliveryId }: DeliveryRequestAt) =>
    read({ organizationId, deliveryId, limit: 1 }).rows[0]

  return {
    cancel: (request) => {
      const row = find(request)
      if (row?.status !== 'waiting' && row?.status !== 'pending') return false
      const { event, subscription } = parseDeliveryId(request.deliveryId)
      skip.run(request.now, event, subscription)
      lanes.advance({ subscription, subject: String(row.subject) }, request.now)
      return true
    },
    retry: (request) => {
      if (find(request)?.status !== 'pending') return false
      const { event, subscription } = parseDeliveryId(request.deliveryId)
      makeDue.run(request.now, event, subscription)
      dueTimes.add({ subscription, dueAt: request.now })
      onDue()
      return true
    },
  }
}
