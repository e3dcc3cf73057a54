import type { DatabaseSync } from 'node:sqlite'
import type { Page, PageRequest, SaveOutcome, SubscriptionRecord } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import type { QueueNews } from './queue-news.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'

export type Subscriptions = {
  /** Saves a subscription. If it is disabled, `continueRemovals` skips its deliveries. */
  save(subscription: SubscriptionRecord): SaveOutcome
  find(organizationId: string, subscriptionId: string): SubscriptionRecord | undefined
  list(organizationId: string, page: PageRequest): Page<SubscriptionRecord>
  /** Removes a subscription. `continueRemovals` removes its deliveries. */
  remove(organizationId: string, subscriptionId: string): boolean
}

const { toRecord } = mapTable('subscriptions')

/** Marks subscriptions as removed. They match no event and have no due deliveries. */
export const markRemoved = `update subscriptions
  set revision = -1, disabledReason = coalesce(disabledReason, 'by_hand'), events = '[]'`

/** Returns whether a change makes the known health of the endpoint outdated. */
const resetsHealth = (next: SubscriptionRecord, current: SubscriptionRecord): boolean => {
  const isEnabledAgain = current.disabledReason !== null && next.disabledReason === null
  return isEnabledAgain || current.url !== next.url
}

export const createSubscriptions = (database: DatabaseSync, news: QueueNews): Subscriptions => {
  const save = createSave(database, 'subscriptions')
  const find = database.prepare(
    'select * from subscriptions where organizationId = ? and id = ? and revision > 0',
  )
  const list = database.prepare(
    'select * from subscriptions where organizationId = ? and seq > ? and revision > 0 order by seq limit ?',
  )
  const resetPace = database.prepare(`update subscriptions set pace = 'new' where seq = ?`)
  const remove = database.prepare(`${markRemoved} where organizationId = ? and id = ? and revision > 0`)

  return {
    save: (next) => {
      const row = find.get(next.organizationId, next.id)
      if (row === undefined) return save(next)
      const current = toRecord(row)
      const isReset = resetsHealth(next, current)
      const { failingSince, isReported } = current
      const outcome = save({ ...next, isReported, failingSince: isReset ? null : failingSince })
      if (outcome === 'stale') return outcome
      if (isReset) resetPace.run(Number(row.seq))
      news.noteChanged(Number(row.seq))
      return outcome
    },
    find: (organizationId, subscriptionId) => {
      const row = find.get(organizationId, subscriptionId)
      return row && toRecord(row)
    },
    list: (organizationId, { cursor = '0', limit }) =>
      toPage({
        rows: list.all(organizationId, Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        toItem: toRecord,
        toCursor: ({ seq }) => String(seq),
      }),
    remove: (organizationId, subscriptionId) =>
      Number(remove.run(organizationId, subscriptionId).changes) > 0,
  }
}
