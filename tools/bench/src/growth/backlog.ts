import type { AttemptVerdict, OwnedShard, Store, StoredQueue } from '@wabakit/core'

/**
 * A description of the deliveries in a backlog. The strings are SQL expressions for both engines. In them, `n` is the
 * number of the delivery, starting from 1.
 */
export type Contents = {
  readonly deliveries: number
  readonly subscriptions: number
  readonly subject: string
  /** The number of the subscription, starting from 1. */
  readonly subscription: string
  /** `pending` or `delivered`. */
  readonly status: string
  /** The due time of a pending delivery. A delivered one was settled at time `n`. */
  readonly dueAt: string
}

export type Backlog = {
  /** The path or URL of the database. */
  readonly database: string
  readonly store: Store
  /** Closes the store and removes its files. */
  remove(): Promise<void>
}

/** A kind of database on which backlogs can be created. */
export type GrowthEngine = {
  readonly name: string
  fill(contents: Contents): Promise<Backlog>
  close(): Promise<void>
}

/** Returns an SQL expression for the digits of the phone number of a subscription. */
export const formatDigitsSql = (subscription: string): string => `'' || (15550000000 + ${subscription})`

/** An SQL expression for a payload of typical length. */
export const payloadSql = `'{"event":"GROUP_PARTICIPANT_JOINED","groupName":"${'x'.repeat(200)}"}'`

const limit = 64
const attempt = { startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result: AttemptVerdict = { kind: 'delivered', attempt: { ...attempt, responseBody: 'ok' } }
let counter = 0

/** A queue, and the position up to which it has been read. */
type Reading = OwnedShard & { readonly queue: StoredQueue['queue']; after: number }

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

/** The queues of each store, the least recently read first. */
const opened = new WeakMap<Store, Reading[]>()

/**
 * Reads, loads and settles 64 deliveries, as the dispatcher does, for as many subscriptions as possible. Then publishes
 * the same events again, so that the backlog keeps its size. The returned duration does not include publishing.
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
    return page.heads.map(({ id, version }) => ({ id, version, shard, epoch }))
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
