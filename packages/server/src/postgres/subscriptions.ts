import type { Store, SubscriptionRecord } from '@wabakit/core'
import { parseCursor } from '../stores/cursor.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { pageOf } from './paging.ts'

/** Where events go. */
export type Subscriptions = Pick<
  Store,
  'saveSubscription' | 'findSubscription' | 'listSubscriptions' | 'removeSubscription'
>

/** Keeps them in PostgreSQL. */
export const createSubscriptions = ({ query, read }: PostgresDatabase): Subscriptions => ({
  saveSubscription: async (subscription) => {
    const [row] = await query<{ saved: boolean }>(
      'SELECT wabakit.save_subscription($1) AS saved',
      [JSON.stringify(subscription)],
      { isLong: subscription.disabledReason !== null },
    )
    return row?.saved ? 'saved' : 'stale'
  },
  findSubscription: async (organizationId, subscriptionId) => {
    const [row] = await read<{ record: SubscriptionRecord }>(
      `SELECT wabakit.record(s) AS record FROM wabakit.subscriptions s WHERE s.organization_id = $1 AND s.id = $2`,
      [organizationId, subscriptionId],
    )
    return row?.record
  },
  listSubscriptions: async (organizationId, { cursor = '0', limit }) => {
    const [after] = parseCursor(cursor, 1)
    const rows = await read<{ record: SubscriptionRecord; cursor: string }>(
      `SELECT wabakit.record(s) AS record, s.position::text AS cursor FROM wabakit.subscriptions s
       WHERE s.organization_id = $1 AND s.position > $2 ORDER BY s.position LIMIT $3`,
      [organizationId, after, limit + 1],
    )
    return pageOf({ rows, limit, isFollowed: false })
  },
  removeSubscription: async (organizationId, subscriptionId) => {
    const [row] = await query<{ removed: boolean }>(
      'SELECT wabakit.remove_subscription($1, $2) AS removed',
      [organizationId, subscriptionId],
      { isLong: true },
    )
    return row?.removed ?? false
  },
})
