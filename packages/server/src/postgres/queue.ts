import type {
  ClaimedDelivery,
  DeliveryRecord,
  DisabledReason,
  Settlement,
  SettlementOutcome,
  Store,
} from '@wabakit/core'
import { createBatches } from './batches.ts'
import { deliveryPosition } from './delivery-id.ts'
import type { PostgresDatabase, QueryOptions } from './open-postgres.ts'

/** Deliveries on their way. */
export type Queue = Pick<Store, 'claimDeliveries' | 'settleDelivery' | 'nextDueAt' | 'onDue'>

type Settled = {
  readonly place: number
  readonly disables: boolean
  readonly delivery: DeliveryRecord
  readonly disabled: DisabledReason | null
}

const toRow = ({ deliveryId, claimId, failingLimitMs, result }: Settlement, place: number) => ({
  place,
  delivery: deliveryPosition(deliveryId),
  claimId,
  failingLimitMs,
  ...result,
  ...(result.kind !== 'released' && result.attempt),
})

/** Claims and settles them in PostgreSQL, by the database's clock. */
export const createQueue = ({ query, due: channel }: PostgresDatabase): Queue => {
  const write = async (
    settlements: readonly Settlement[],
    options?: QueryOptions,
  ): Promise<Map<number, Settled>> => {
    const rows = settlements.map(toRow)
    const [written] = await query<{ settled: Settled[]; due: boolean }>(
      'SELECT settled, due FROM wabakit.settle_deliveries($1, $2, $3)',
      [rows.map(({ delivery }) => delivery), JSON.stringify(rows), options?.isLong ?? false],
      options,
    )
    if (written?.due) channel.announce()
    return new Map(written?.settled.map((each) => [each.place, each]))
  }

  const settle = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    const written = await write(settlements)
    return Promise.all(
      settlements.map(async (settlement, place) => {
        const first = written.get(place)
        const found = first?.disables ? (await write([settlement], { isLong: true })).get(0) : first
        if (found === undefined) return { outcome: 'stale' }
        return { outcome: 'settled', delivery: found.delivery, disabled: found.disabled }
      }),
    )
  }

  return {
    claimDeliveries: ({ claimId, leaseMs, limit, perSubscription }) =>
      query<ClaimedDelivery>('SELECT * FROM wabakit.claim_deliveries($1, $2, $3, $4)', [
        claimId,
        leaseMs,
        limit,
        perSubscription,
      ]),
    settleDelivery: createBatches({ largest: 64, keyOf: ({ deliveryId }) => deliveryId, write: settle }),
    nextDueAt: async () => {
      const [row] = await query<{ next: string | null }>(
        'SELECT min(due_at)::text AS next FROM wabakit.queues()',
      )
      return row?.next == null ? undefined : Number(row.next)
    },
    onDue: channel.listen,
  }
}
