import type { ClaimedDelivery, Settlement, SettlementOutcome, Store, SubscriptionRecord } from '@wabakit/core'
import { getPatienceMs } from '../patience.ts'
import { createBatches } from './batches.ts'
import { type ClaimedRow, claimDeliveries } from './functions/claims.ts'
import { readNextDueAt } from './functions/due-times.ts'
import { settleDeliveries } from './functions/settlements.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { mapTable } from './records.ts'
import { createRemovals } from './removals.ts'

const { toRecord: toSubscription } = mapTable('subscriptions')

/** Deliveries on their way. */
export type Queue = Pick<
  Store,
  'claimDeliveries' | 'settleDelivery' | 'nextDueAt' | 'onDue' | 'registerWorker'
>

const getKey = ({ delivery: { organizationId, subscriptionId } }: ClaimedRow): string =>
  JSON.stringify([organizationId, subscriptionId])

/** Combines rows into claims. The row that has the subscription may come after others of it. */
export const toClaims = (rows: readonly ClaimedRow[]): ClaimedDelivery[] => {
  const subscriptions = new Map<string, SubscriptionRecord>()
  for (const row of rows) {
    if (row.subscription !== null) subscriptions.set(getKey(row), toSubscription(row.subscription))
  }
  return rows.flatMap((row) => {
    const { channel, digits, payload, waitsFor, traceparent, pace, delivery } = row
    const { eventId: id, organizationId, eventName: name, subject, createdAt: occurredAt } = delivery
    const subscription = subscriptions.get(getKey(row))
    if (subscription === undefined) return []
    const event = {
      id,
      organizationId,
      name,
      subject,
      channel,
      digits,
      payload,
      waitsFor,
      traceparent,
      occurredAt,
    }
    return { delivery, event, subscription, pace }
  })
}

/** Claims and settles deliveries in PostgreSQL, by the database's clock. */
export const createQueue = ({ query, read, due: channel, worker }: PostgresDatabase): Queue => {
  const removals = createRemovals(query)
  const write = async (settlements: readonly Settlement[], mayDisable = false) => {
    const { settled, isDue } = await settleDeliveries(query, { settlements, mayDisable })
    if (isDue) channel.announce()
    return new Map(settled.map((each) => [each.ordinal, each]))
  }

  const settle = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    const written = await write(settlements)
    return Promise.all(
      settlements.map(async (settlement, ordinal) => {
        const first = written.get(ordinal)
        const found = first?.status === null ? (await write([settlement], true)).get(0) : first
        if (found === undefined || found.status === null) return { outcome: 'stale' }
        const { ordinal: _, disabled, status, ...delivery } = found
        const settled = { outcome: 'settled' as const, delivery: { ...delivery, status }, disabled }
        return disabled === null ? settled : removals.end(settled)
      }),
    )
  }

  return {
    claimDeliveries: async (claim) => {
      const number = worker.number()
      return number === undefined ? [] : toClaims(await claimDeliveries(query, { ...claim, worker: number }))
    },
    settleDelivery: createBatches({
      maxItems: 64,
      maxConcurrent: 1,
      getKey: ({ deliveryId }) => deliveryId,
      getPatienceMs,
      write: settle,
    }),
    nextDueAt: () => readNextDueAt(read),
    onDue: channel.listen,
    registerWorker: worker.register,
  }
}
