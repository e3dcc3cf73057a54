import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryRecord, ResendOutcome, ResendQuery } from '@wabakit/core'
import { columns } from '../stores/columns.ts'
import type { DeliveryKey } from '../stores/delivery-id.ts'
import { toPage } from '../stores/page.ts'
import { deliveryCursor, type ReadDeliveries } from './delivery-rows.ts'
import type { Lane, Lanes } from './lanes.ts'
import { mapRows } from './records.ts'

/** Sends deliveries again, see {@link Store.resendDeliveries}. */
export type Resend = (query: ResendQuery) => ResendOutcome

/** What {@link createResend} works with. */
export type ResendContext = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly lanes: Lanes
}

const rows = mapRows<DeliveryKey & DeliveryRecord & { isDisabled: boolean }>({
  ...columns.deliveries,
  event: 'integer',
  subscription: 'integer',
  isDisabled: 'flag',
})

export const createResend = ({ database, read, lanes }: ResendContext): Resend => {
  const putBack = database.prepare(
    `update deliveries set status = 'waiting', place = 'waiting', dueAt = null, claimId = null, failures = 0,
       finishedAt = null, webhookId = ? where event = ? and subscription = ?`,
  )

  return ({ webhookIdSuffix, now, ...query }) => {
    const { items, nextCursor } = toPage({
      rows: read({ ...query, order: 'oldest_first', limit: query.limit + 1 }),
      limit: query.limit,
      isFollowed: false,
      toItem: rows.toRecord,
      toCursor: deliveryCursor,
    })
    const resent = items.filter(
      ({ isDisabled, status }) => !isDisabled && status !== 'waiting' && status !== 'claimed',
    )
    const touched = new Map<string, Lane>()
    for (const { event, subscription, eventId, webhookId, subject } of resent) {
      putBack.run(webhookIdSuffix === null ? webhookId : `${eventId}${webhookIdSuffix}`, event, subscription)
      touched.set(`${subscription} ${subject}`, { subscription, subject })
    }
    for (const lane of touched.values()) lanes.advance(lane, now)
    return { resent: resent.length, ...(nextCursor !== undefined && { nextCursor }) }
  }
}
