import type { ClaimedDelivery, DeliveryRecord, DisabledReason, Store } from '@wabakit/core'
import { deliveryPosition } from './delivery-id.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/** Deliveries on their way. */
export type Queue = Pick<Store, 'claimDeliveries' | 'settleDelivery' | 'nextDueAt' | 'onDue'>

type Settled = {
  readonly outcome: 'stale' | 'disables' | 'settled'
  readonly delivery: DeliveryRecord
  readonly disabled: DisabledReason | null
  readonly due: boolean
}

/** Claims and settles them in PostgreSQL, by the database's clock. */
export const createQueue = ({ query, due: channel }: PostgresDatabase): Queue => ({
  claimDeliveries: ({ claimId, leaseMs, limit, perSubscription }) =>
    query<ClaimedDelivery>('SELECT * FROM wabakit.claim_deliveries($1, $2, $3, $4)', [
      claimId,
      leaseMs,
      limit,
      perSubscription,
    ]),
  settleDelivery: async ({ deliveryId, claimId, result, failingLimitMs }) => {
    const settle = async (mayDisable: boolean): Promise<Settled | undefined> => {
      const [row] = await query<Settled>(
        'SELECT * FROM wabakit.settle_delivery($1, $2, $3, $4, $5)',
        [deliveryPosition(deliveryId), claimId, JSON.stringify(result), failingLimitMs, mayDisable],
        { isLong: mayDisable },
      )
      return row
    }
    const first = await settle(false)
    const settled = first?.outcome === 'disables' ? await settle(true) : first
    if (settled?.outcome !== 'settled') return { outcome: 'stale' }
    if (settled.due) channel.announce()
    return { outcome: 'settled', delivery: settled.delivery, disabled: settled.disabled }
  },
  nextDueAt: async () => {
    const [row] = await query<{ next: string | null }>(
      'SELECT min(due_at)::text AS next FROM wabakit.queues()',
    )
    return row?.next == null ? undefined : Number(row.next)
  },
  onDue: channel.listen,
})
