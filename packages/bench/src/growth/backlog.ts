import type { SettlementResult, Store } from '@wabakit/core'

/**
 * Deliveries of a backlog. The strings are SQL expressions for both engines, in which `n` is the number of the delivery,
 * counted from 1.
 */
export type Contents = {
  readonly deliveries: number
  readonly subscriptions: number
  readonly subject: string
  /** Number of the subscription, counted from 1. */
  readonly subscription: string
  /** `pending`, `waiting` or `delivered`. */
  readonly status: string
  /** When a pending delivery is due. A delivered one was settled at `n`. */
  readonly dueAt: string
}

/** A filled store. */
export type Backlog = {
  /** Path or URL of the database. */
  readonly database: string
  readonly store: Store
  /** Closes the store and removes its files. */
  remove(): Promise<void>
}

/** Creates filled stores on one kind of database. */
export type Engine = {
  readonly name: string
  fill(contents: Contents): Promise<Backlog>
  close(): Promise<void>
}

/** SQL expression for the digits of a subscription's number. */
export const formatDigitsSql = (subscription: string): string => `'' || (15550000000 + ${subscription})`

/** SQL expression for the payload of an event, of typical length. */
export const payloadSql = `'{"event":"GROUP_PARTICIPANT_JOINED","groupName":"${'x'.repeat(200)}"}'`

const limit = 64
const attempt = { startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result: SettlementResult = { kind: 'delivered', attempt: { ...attempt, responseBody: 'ok' } }
let counter = 0

/** Duration of a cycle, and the number of deliveries it claimed and settled. */
export type Cycle = { readonly nanoseconds: number; readonly deliveries: number }

/**
 * Claims up to 64 deliveries and settles them concurrently, like the dispatcher. Then publishes the same events again,
 * without measuring it, so that the size of the backlog stays the same.
 */
export const runCycle = async (store: Store): Promise<Cycle> => {
  const claimId = `claim_${counter++}`
  const now = Date.now()
  const start = process.hrtime.bigint()
  const claimed = await store.claimDeliveries({
    claimId,
    now,
    leaseMs: 60_000,
    limit,
    perSubscription: limit,
  })
  await Promise.all(
    claimed.map(({ delivery }) =>
      store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 1 }),
    ),
  )
  const nanoseconds = Number(process.hrtime.bigint() - start)
  const republished = claimed.map(({ event }) => ({ ...event, id: `new_${counter++}`, occurredAt: now }))
  await Promise.all(republished.map((event) => store.addEvent(event)))
  return { nanoseconds, deliveries: claimed.length }
}
