import type { Store, StoredQueue } from '@wabakit/core'
import { parsePosition } from '@wabakit/core/storage'
import type { PostgresDatabase } from './open-postgres.ts'
import { createReads, mapTable } from './records.ts'
import { createRemovals } from './removals.ts'

const { toRow } = mapTable('subscriptions')

/** The result of a change: whether it was made (`isDone`), and the subscription's queue after it, if the queue changed. */
type Change = { readonly isDone: boolean; readonly queue: StoredQueue | null }

export const createSubscriptions = ({ query, read, queueChanges }: PostgresDatabase) => {
  const subscriptions = createReads(read, 'subscriptions')
  const removals = createRemovals(query)
  const change = async (sql: string, values: readonly unknown[]): Promise<boolean> => {
    const [changed] = await query<Change>(sql, values)
    queueChanges.emitChanged([changed?.queue ?? null])
    return changed?.isDone === true
  }

  return {
    saveSubscription: async (subscription) => {
      const isDisabled = subscription.disabledReason !== null
      // Disabling skips unfinished deliveries in several transactions, which must have ended before the subscription is
      // enabled again. Otherwise, the deliveries that are left would be sent.
      if (subscription.revision > 1 && !isDisabled) await removals.endAll()
      const isSaved = await change('SELECT saved AS "isDone", queue FROM save_subscription($1)', [
        JSON.stringify(toRow(subscription)),
      ])
      const outcome = isSaved ? 'saved' : 'stale'
      return isDisabled ? removals.end(outcome) : outcome
    },
    findSubscription: (organizationId, subscriptionId) =>
      subscriptions.find(
        'FROM wabakit.subscriptions r WHERE r.organization_id = $1 AND r.id = $2 AND r.revision > 0',
        [organizationId, subscriptionId],
      ),
    listSubscriptions: (organizationId, { cursor = '0', limit }) =>
      subscriptions.readPage(
        `FROM wabakit.subscriptions r
         WHERE r.organization_id = $1 AND r.position > $2 AND r.revision > 0 ORDER BY r.position LIMIT $3`,
        { values: [organizationId, parsePosition(cursor)], limit },
      ),
    removeSubscription: async (organizationId, id) => {
      const sql = 'SELECT removed AS "isDone", queue FROM remove_subscription($1, $2)'
      return (await change(sql, [organizationId, id])) && removals.end(true)
    },
  } satisfies Partial<Store>
}
