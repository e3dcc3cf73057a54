import type { DatabaseSync } from 'node:sqlite'
import type { Page, PageRequest, SaveOutcome, SubscriptionRecord } from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import type { Lanes } from './lanes.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'

export type Subscriptions = {
  save(subscription: SubscriptionRecord): SaveOutcome
  find(organizationId: string, subscriptionId: string): SubscriptionRecord | undefined
  list(organizationId: string, page: PageRequest): Page<SubscriptionRecord>
  exists(seq: number): boolean
  remove(organizationId: string, subscriptionId: string): boolean
}

const { toRecord } = mapTable('subscriptions')

/** Whether a change makes what is known about the endpoint obsolete. */
const resetsHealth = (next: SubscriptionRecord, current: SubscriptionRecord): boolean => {
  const isEnabledAgain = current.disabledReason !== null && next.disabledReason === null
  return isEnabledAgain || current.url !== next.url
}

export const createSubscriptions = (database: DatabaseSync, lanes: Lanes): Subscriptions => {
  const save = createSave(database, 'subscriptions')
  const find = database.prepare('select * from subscriptions where organizationId = ? and id = ?')
  const list = database.prepare(
    'select * from subscriptions where organizationId = ? and seq > ? order by seq limit ?',
  )
  const resetPace = database.prepare(`update subscriptions set pace = 'new' where seq = ?`)
  const exists = database.prepare('select 1 from subscriptions where seq = ?')
  const remove = database.prepare('delete from subscriptions where organizationId = ? and id = ?')

  return {
    save: (next) => {
      const row = find.get(next.organizationId, next.id)
      if (row === undefined) return save(next)
      const current = toRecord(row)
      const isReset = resetsHealth(next, current)
      const outcome = save({ ...next, failingSince: isReset ? null : current.failingSince })
      if (outcome === 'stale') return outcome
      if (isReset) resetPace.run(Number(row.seq))
      if (next.disabledReason !== null) lanes.skipAll(Number(row.seq), next.updatedAt)
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
    exists: (seq) => exists.get(seq) !== undefined,
    remove: (organizationId, subscriptionId) =>
      Number(remove.run(organizationId, subscriptionId).changes) > 0,
  }
}
