import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryRecord, ResendOutcome, ResendQuery } from '@wabakit/core'
import { columns } from '../columns.ts'
import type { DeliveryKey } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type ReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import type { Lane, Lanes } from './lanes.ts'
import type { Leases } from './leases.ts'
import { mapRows } from './records.ts'

/** See {@link Store.resendDeliveries}. */
export type Resend = (query: ResendQuery) => ResendOutcome

export type ResendOptions = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly lanes: Lanes
  readonly leases: Leases
}

const rows = mapRows<DeliveryKey & DeliveryRecord & { isDisabled: boolean }>({
  ...columns.deliveries,
  event: 'integer',
  subscription: 'integer',
  isDisabled: 'flag',
})

export const createResend = ({ database, read, lanes, leases }: ResendOptions): Resend => {
  const putBack = database.prepare(
    `update deliveries set status = 'waiting', laneState = 'waiting', dueAt = null, failures = 0, deferrals = 0,
       deferredMs = 0, finishedAt = null, webhookId = ? where event = ? and subscription = ?`,
  )

  return ({ webhookIdSuffix, now, ...query }) => {
    const { items, nextCursor } = toPage({
      ...read({ ...query, order: 'oldest_first', limit: query.limit + 1 }),
      limit: query.limit,
      isFollowed: false,
      toItem: rows.toRecord,
      toCursor: toDeliveryCursor,
    })
    const resent = items.filter(
      ({ isDisabled, status }) => !isDisabled && status !== 'waiting' && status !== 'claimed',
    )
    const lanesToAdvance = new Map<string, Lane>()
    for (const { event, subscription, eventId, webhookId, subject } of resent) {
      putBack.run(webhookIdSuffix === null ? webhookId : `${eventId}${webhookIdSuffix}`, event, subscription)
      leases.remove({ event, subscription })
      lanesToAdvance.set(`${subscription} ${subject}`, { subscription, subject })
    }
    for (const lane of lanesToAdvance.values()) lanes.advance(lane, now)
    return { resent: resent.length, ...(nextCursor !== undefined && { nextCursor }) }
  }
}
