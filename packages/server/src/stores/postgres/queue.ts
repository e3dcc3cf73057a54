import type {
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryStatus,
  DisabledReason,
  EventRecord,
  Pace,
  Settlement,
  SettlementOutcome,
  Store,
  SubscriptionRecord,
} from '@wabakit/core'
import { parseDeliveryId } from '../delivery-id.ts'
import { createBatches } from './batches.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { type JsonRow, mapTable } from './records.ts'
import { createRemovals } from './removals.ts'

const { toRecord: toSubscription } = mapTable('subscriptions')

/** Deliveries on their way. */
export type Queue = Pick<
  Store,
  'claimDeliveries' | 'settleDelivery' | 'nextDueAt' | 'onDue' | 'registerWorker'
>

/** A delivery with the rest of its event; the first of a subscription comes with it. */
type ClaimedRow = DeliveryRecord &
  Pick<EventRecord, 'channel' | 'digits' | 'payload' | 'waitsFor'> & {
    readonly subscription: JsonRow | null
    readonly pace: Pace
  }

/** A delivery after its settlement; without a status, nothing was written. */
type SettledRow = Omit<DeliveryRecord, 'status'> & {
  readonly status: DeliveryStatus | null
  readonly place: number
  readonly disabled: DisabledReason | null
  readonly due: boolean
}

const toClaims = (rows: readonly ClaimedRow[]): ClaimedDelivery[] => {
  const subscriptions = new Map<string, SubscriptionRecord>()
  return rows.flatMap(({ channel, digits, payload, waitsFor, subscription: own, pace, ...delivery }) => {
    const { eventId: id, organizationId, eventName: name, subject, createdAt: occurredAt } = delivery
    const key = JSON.stringify([organizationId, delivery.subscriptionId])
    const subscription = own === null ? subscriptions.get(key) : toSubscription(own)
    if (subscription === undefined) return []
    subscriptions.set(key, subscription)
    const event = { id, organizationId, name, subject, channel, digits, payload, waitsFor, occurredAt }
    return { delivery, event, subscription, pace }
  })
}

const toRow = (
  { deliveryId, claimId, failingLimitMs, isSlow = false, result }: Settlement,
  place: number,
) => ({
  place,
  ...parseDeliveryId(deliveryId),
  claimId,
  failingLimitMs,
  isSlow,
  ...result,
  ...(result.kind !== 'released' && result.attempt),
})

/** Claims and settles them in PostgreSQL, by the database's clock. */
export const createQueue = ({ query, read, due: channel, worker }: PostgresDatabase): Queue => {
  const removals = createRemovals(query)
  const write = async (
    settlements: readonly Settlement[],
    mayDisable = false,
  ): Promise<Map<number, SettledRow>> => {
    const rows = settlements.map(toRow)
    const written = await query<SettledRow>(
      `SELECT r.due, s.* FROM wabakit.settle_deliveries($1, $2, $3, $4) AS r LEFT JOIN unnest(r.settled) AS s ON true`,
      [
        rows.map(({ event }) => event),
        rows.map(({ subscription }) => subscription),
        JSON.stringify(rows),
        mayDisable,
      ],
    )
    if (written[0]?.due) channel.announce()
    return new Map(written.map((each) => [each.place, each]))
  }

  const settle = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    const written = await write(settlements)
    return Promise.all(
      settlements.map(async (settlement, place) => {
        const first = written.get(place)
        const found = first?.status === null ? (await write([settlement], true)).get(0) : first
        if (found === undefined || found.status === null) return { outcome: 'stale' }
        const { place: _, due: __, disabled, status, ...delivery } = found
        const settled = { outcome: 'settled' as const, delivery: { ...delivery, status }, disabled }
        return disabled === null ? settled : removals.end(settled)
      }),
    )
  }

  return {
    claimDeliveries: async ({ claimId, leaseMs, limit, perSubscription, suspects }) => {
      const number = worker.number()
      if (number === undefined) return []
      return toClaims(
        await query<ClaimedRow>('SELECT * FROM wabakit.claim_deliveries($1, $2, $3, $4, $5, $6, $7, $8)', [
          claimId,
          leaseMs,
          limit,
          perSubscription,
          suspects?.limit ?? null,
          suspects?.failing ?? null,
          suspects?.except ?? [],
          number,
        ]),
      )
    },
    settleDelivery: createBatches({
      maxItems: 64,
      maxConcurrent: 1,
      getKey: ({ deliveryId }) => deliveryId,
      write: settle,
    }),
    nextDueAt: async () => {
      const [row] = await read<{ next: string | null }>('SELECT wabakit.next_due_at()::text AS next')
      return row?.next == null ? undefined : Number(row.next)
    },
    onDue: channel.listen,
    registerWorker: worker.register,
  }
}
