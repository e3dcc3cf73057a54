import type { AttemptVerdict, OwnedShard, QueueState, Store } from '@wabakit/core'

/**
 * The deliveries of a backlog. The strings are SQL expressions for both engines, where `n` is the delivery's number,
 * starting from 1.
 */
export type Contents = {
  readonly deliveries: number
  readonly subscriptions: number
  readonly subject: string
  /** Number of the subscription, starting from 1. */
  readonly subscription: string
  /** `pending` or `delivered`. */
  readonly status: string
  /** Due time of a pending delivery. A delivered one was settled at `n`. */
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

/** Returns the SQL expression for the digits of a subscription's number. */
export const formatDigitsSql = (subscription: string): string => `'' || (15550000000 + ${subscription})`

/** SQL expression for an event payload of typical length. */
export const payloadSql = `'{"event":"GROUP_PARTICIPANT_JOINED","groupName":"${'x'.repeat(200)}"}'`

const limit = 64
const attempt = { startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result: AttemptVerdict = { kind: 'delivered', attempt: { ...attempt, responseBody: 'ok' } }
let counter = 0

/** A queue and the position up to which it was read. */
type Reading = OwnedShard & { readonly queue: QueueState['queue']; after: number }

const openQueues = async (store: Store): Promise<Reading[]> => {
  const worker = 'bench'
  const now = Date.now()
  const { shards } = await store.renewWorker({ worker, leaseMs: 86_400_000, now })
  const owned = await store.takeShards({ worker, shards, now })
  const { queues } = await store.readQueues({ shards: owned.map(({ shard }) => shard), limit: 10_000 })
  return queues.flatMap(({ state: { queue, shard } }) => {
    const own = owned.find((each) => each.shard === shard)
    return own === undefined ? [] : { ...own, queue, after: 0 }
  })
}

/** The queues of each store, most recently read last. */
const opened = new WeakMap<Store, Reading[]>()

/**
 * Reads, loads and settles 64 deliveries of as many subscriptions as possible, like the dispatcher. Then publishes the
 * same events again, unmeasured, so that the backlog keeps its size. Returns the duration and the number of deliveries.
 */
export const runCycle = async (store: Store) => {
  const queues = opened.get(store) ?? (await openQueues(store))
  opened.set(store, queues)
  const own = queues.splice(0, limit)
  queues.push(...own)
  const start = process.hrtime.bigint()
  const read = own.map(async (reading) => {
    const { queue, shard, epoch, after } = reading
    const page = await store.readHeads({ queue, after, limit: Math.ceil(limit / own.length) })
    reading.after = page.after
    return page.heads.map(({ id, turn }) => ({ id, turn, shard, epoch }))
  })
  const keys = (await Promise.all(read)).flat()
  const loaded = await store.loadDeliveries(keys)
  const now = Date.now()
  await store.settleDeliveries(
    keys.flatMap((key, index) => {
      const delivery = loaded[index]?.delivery
      return delivery === undefined ? [] : { ...key, delivery, now, result, failingLimitMs: 1 }
    }),
  )
  const nanoseconds = Number(process.hrtime.bigint() - start)
  const events = loaded.flatMap((each) => each?.event ?? [])
  const republished = events.map((event) => ({ ...event, id: `new_${counter++}`, occurredAt: now }))
  await Promise.all(republished.map((event) => store.addEvent(event)))
  return { nanoseconds, deliveries: events.length }
}
