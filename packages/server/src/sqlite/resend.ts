import type { DatabaseSync } from 'node:sqlite'
import type { ResendOutcome, ResendQuery } from '@wabakit/core'
import * as z from 'zod/mini'
import { flagColumn } from './column.ts'
import { deliveryShape } from './delivery-row.ts'
import { deliveryCursor, type ReadDeliveries } from './delivery-rows.ts'
import type { Lane, Lanes } from './lanes.ts'
import { pageOf } from './page.ts'

/** Sends deliveries again, see {@link Store.resendDeliveries}. */
export type Resend = (query: ResendQuery) => ResendOutcome

/** What {@link createResend} works with. */
export type ResendContext = {
  readonly database: DatabaseSync
  readonly read: ReadDeliveries
  readonly lanes: Lanes
}

const ResentRow = z.object({
  event: z.number(),
  subscription: z.number(),
  eventId: deliveryShape.eventId,
  webhookId: deliveryShape.webhookId,
  subject: deliveryShape.subject,
  status: deliveryShape.status,
  isDisabled: flagColumn,
})

/** Makes the sending again of a database. */
export const createResend = ({ database, read, lanes }: ResendContext): Resend => {
  const putBack = database.prepare(
    `update deliveries set status = 'waiting', place = 'waiting', dueAt = null, claimId = null, failures = 0,
       finishedAt = null, webhookId = ? where event = ? and subscription = ?`,
  )

  return ({ webhookIdSuffix, now, ...query }) => {
    const { items, nextCursor } = pageOf({
      rows: read({ ...query, order: 'oldest_first', limit: query.limit + 1 }),
      limit: query.limit,
      isFollowed: false,
      item: (row) => ResentRow.parse(row),
      cursor: deliveryCursor,
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
