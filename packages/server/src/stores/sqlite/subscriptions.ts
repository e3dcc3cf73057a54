import type { Store, SubscriptionRecord } from '@wabakit/core'
import { decideSavedHealth, parsePosition, toPage } from '@wabakit/core/storage'
import type { QueueChanges } from './queue-changes.ts'
import type { Access } from './record-access.ts'
import { mapTable } from './records.ts'
import { markRemoved, type Removals } from './removals.ts'
import { createSave } from './revisions.ts'

const subscriptions = mapTable('subscriptions')

export const createSubscriptions = (
  { database, read, write, writeTo }: Access,
  { queueChanges, removals }: { readonly queueChanges: QueueChanges; readonly removals: Removals },
) => {
  const saveRow = createSave(database, 'subscriptions')
  const find = database.prepare(
    'select * from subscriptions where organizationId = ? and id = ? and revision > 0',
  )
  const list = database.prepare(
    'select * from subscriptions where organizationId = ? and position > ? and revision > 0 order by position limit ?',
  )
  const resetPace = database.prepare(`update subscriptions set pace = 'new' where position = ?`)
  const remove = database.prepare(`${markRemoved} where organizationId = ? and id = ? and revision > 0`)

  const save = (next: SubscriptionRecord) => {
    const row = find.get(next.organizationId, next.id)
    if (row === undefined) return saveRow(next)
    const { isReset, ...health } = decideSavedHealth(subscriptions.toRecord(row), next)
    const outcome = saveRow({ ...next, ...health })
    if (outcome === 'stale') return outcome
    if (isReset) resetPace.run(Number(row.position))
    queueChanges.noteChanged(Number(row.position))
    return outcome
  }

  return {
    saveSubscription: async (subscription) => {
      const isDisabled = subscription.disabledReason !== null
      // Disabling skips unfinished deliveries in several transactions, which must have ended before the subscription is
      // enabled again. Otherwise, the deliveries that are left would be sent.
      if (subscription.revision > 1 && !isDisabled) await removals.endAll()
      const outcome = await writeTo(subscription.organizationId, () => save(subscription))
      return isDisabled ? removals.end(outcome) : outcome
    },
    findSubscription: (organizationId, subscriptionId) =>
      read(() => subscriptions.find(find, organizationId, subscriptionId)),
    listSubscriptions: (organizationId, { cursor = '0', limit }) =>
      read(() =>
        toPage({
          rows: list.all(organizationId, Number(parsePosition(cursor)), limit + 1),
          limit,
          toItem: subscriptions.toRecord,
          toCursor: ({ position }) => String(position),
        }),
      ),
    removeSubscription: async (organizationId, subscriptionId) => {
      const { changes } = await write(() => remove.run(organizationId, subscriptionId))
      return Number(changes) > 0 && removals.end(true)
    },
  } satisfies Partial<Store>
}
