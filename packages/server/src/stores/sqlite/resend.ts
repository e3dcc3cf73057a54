import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryRecord, ResendQuery, Store } from '@wabakit/core'
import { columns } from '../columns.ts'
import type { DeliveryKey } from '../delivery-id.ts'
import { toPage } from '../page.ts'
import { type ReadDeliveries, toDeliveryCursor } from './delivery-rows.ts'
import type { QueueNews } from './queue-news.ts'
import { mapRows } from './records.ts'

/** See {@link Store.resendDeliveries}. */
export type Resend = (query: ResendQuery) => Awaited<ReturnType<Store['resendDeliveries']>>

export type ResendOptions = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly news: QueueNews
}

const rows = mapRows<DeliveryKey & DeliveryRecord & { isDisabled: boolean; state: string }>({
  ...columns.deliveries,
  event: 'integer',
  subscription: 'integer',
  isDisabled: 'flag',
  state: 'text',
})

export const createResend = ({ database, read, news }: ResendOptions): Resend => {
  const putBack = database.prepare(
    `update deliveries set state = 'fresh', turn = turn + 1, dueAt = ?, failures = 0, deferrals = 0, deferredMs = 0,
       finishedAt = null, webhookId = ? where event = ? and subscription = ?`,
  )

  return ({ webhookIdSuffix, now, ...query }) => {
    const { items, nextCursor } = toPage({
      ...read({ ...query, order: 'oldest_first', limit: query.limit + 1 }),
      limit: query.limit,
      isFollowed: false,
      toItem: rows.toRecord,
      toCursor: toDeliveryCursor,
    })
    const resent = items.filter(({ isDisabled, state }) => !isDisabled && state !== 'fresh')
    for (const { event, subscription, eventId, webhookId } of resent) {
      const newId = webhookIdSuffix === null ? webhookId : `${eventId}${webhookIdSuffix}`
      putBack.run(now, newId, event, subscription)
    }
    for (const subscription of new Set(resent.map((each) => each.subscription)))
      news.noteChanged(subscription)
    return { resent: resent.length, ...(nextCursor !== undefined && { nextCursor }) }
  }
}
