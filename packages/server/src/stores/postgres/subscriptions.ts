import type { Store } from '@wabakit/core'
import { parsePosition, toPage } from '@wabakit/core/storage'
import { removeSubscription, saveSubscription } from './functions/subscriptions.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { mapTable, type SelectedRow } from './records.ts'
import { createRemovals } from './removals.ts'

const { toRecord } = mapTable('subscriptions')

export const createSubscriptions = ({ query, read, queueChanges }: PostgresDatabase) =>
  ({
    saveSubscription: async (subscription) => {
      const isDisabled = subscription.disabledReason !== null
      const removals = createRemovals(query)
      // Unfinished deliveries from before the subscription was disabled must not be sent.
      if (subscription.revision > 1 && !isDisabled) await removals.endAll()
      const { isDone, queue } = await saveSubscription(query, subscription)
      queueChanges.emitChanged([queue])
      const outcome = isDone ? 'saved' : 'stale'
      return isDisabled ? removals.end(outcome) : outcome
    },
    findSubscription: async (organizationId, subscriptionId) => {
      const [found] = await read<SelectedRow>(
        `SELECT row_to_json(s) AS row FROM wabakit.subscriptions s WHERE s.organization_id = $1 AND s.id = $2 AND s.revision > 0`,
        [organizationId, subscriptionId],
      )
      return found && toRecord(found.row)
    },
    listSubscriptions: async (organizationId, { cursor = '0', limit }) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(s) AS row FROM wabakit.subscriptions s
       WHERE s.organization_id = $1 AND s.position > $2 AND s.revision > 0 ORDER BY s.position LIMIT $3`,
        [organizationId, parsePosition(cursor), limit + 1],
      )
      return toPage({
        rows,
        limit,
        toItem: ({ row }) => toRecord(row),
        toCursor: ({ row }) => String(row.position),
      })
    },
    removeSubscription: async (organizationId, id) => {
      const { isDone, queue } = await removeSubscription(query, { organizationId, id })
      queueChanges.emitChanged([queue])
      return isDone ? createRemovals(query).end(true) : false
    },
  }) satisfies Partial<Store>
