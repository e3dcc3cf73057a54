import type { SettlementResult, Store } from '@wabakit/core'

/**
 * The deliveries of a backlog. The texts are SQL that both engines read, in which `n` counts the deliveries, and
 * subscriptions, from 1.
 */
export type Contents = {
  readonly deliveries: number
  readonly subscriptions: number
  readonly subject: string
  /** Which subscription. */
  readonly subscription: string
  /** `pending`, `waiting` or `delivered`. */
  readonly status: string
  /** When a pending one is due; what is delivered was settled at `n`. */
  readonly dueAt: string
}

/** A store that was filled. */
export type Backlog = {
  /** Path or URL. */
  readonly database: string
  readonly store: Store
  /** Bytes of its files; what SQLite has not checkpointed is missing. */
  size(): Promise<number>
  /** Closes the store and removes its files. */
  remove(): Promise<void>
}

/** Fills stores of a kind. */
export type Engine = {
  readonly name: string
  fill(contents: Contents): Promise<Backlog>
  close(): Promise<void>
}

/** Digits of the number of a subscription in SQL. */
export const digitsSql = (subscription: string): string => `'' || (15550000000 + ${subscription})`

/** What events are made of in SQL: their payload has the usual length. */
export const payloadSql = `'{"event":"GROUP_PARTICIPANT_JOINED","groupName":"${'x'.repeat(200)}"}'`

const limit = 64
const attempt = { startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result: SettlementResult = { kind: 'delivered', attempt: { ...attempt, responseBody: 'ok' } }
let names = 0

/** What a cycle took, in nanoseconds, and how many deliveries it claimed and settled. */
export type Cycle = {
  readonly nanoseconds: number
  readonly claimNanoseconds: number
  readonly deliveries: number
}

/**
 * Claims up to 64 deliveries and settles all of them at once, as the dispatcher does it. Then, untimed, tells the same
 * events anew, so that the backlog keeps its length.
 */
export const runCycle = async (store: Store): Promise<Cycle> => {
  const claimId = `claim_${names++}`
  const now = Date.now()
  const start = process.hrtime.bigint()
  const claimed = await store.claimDeliveries({
    claimId,
    now,
    leaseMs: 60_000,
    limit,
    perSubscription: limit,
  })
  const claimNanoseconds = Number(process.hrtime.bigint() - start)
  await Promise.all(
    claimed.map(({ delivery }) =>
      store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 1 }),
    ),
  )
  const nanoseconds = Number(process.hrtime.bigint() - start)
  const retold = claimed.map(({ event }) => ({ ...event, id: `new_${names++}`, occurredAt: now }))
  await Promise.all(retold.map((event) => store.addEvent(event)))
  return { nanoseconds, claimNanoseconds, deliveries: claimed.length }
}
