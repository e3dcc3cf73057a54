import type {
  AttemptKey,
  AttemptVerdict,
  DeliveryRecord,
  LoadedDelivery,
  PendingDelivery,
  SettlementOutcome,
  Store,
} from '@wabakit/core'
import { start } from '../../core/test/store-cases/index.ts'

/** A delivery with a started attempt. */
export type Begun = LoadedDelivery & { readonly key: AttemptKey & { readonly delivery: DeliveryRecord } }

/** Lists the keys of all deliveries that can be attempted at a given time, by due time, if no shard was ever taken. */
export const listDue = async (store: Store, now = start): Promise<AttemptKey[]> => {
  const shards = Array.from({ length: store.shards }, (_, shard) => shard)
  const due: Array<{ readonly shard: number; readonly pending: PendingDelivery }> = []
  for (const { state } of (await store.readQueues({ shards, limit: 1_000 })).queues) {
    const { queue, shard } = state
    const { heads } = await store.readHeads({ queue, after: 0, limit: 10_000 })
    const { retries } = await store.readRetries({ queue, limit: 10_000 })
    due.push(...[...heads, ...retries].flatMap((pending) => (pending.dueAt <= now ? { shard, pending } : [])))
  }
  return due
    .sort(
      ({ pending: left }, { pending: right }) => left.dueAt - right.dueAt || left.position - right.position,
    )
    .map(({ shard, pending: { id, version } }) => ({ shard, epoch: 0, id, version }))
}

/** Starts attempts of all deliveries due at a given time, including those already started. */
export const beginDue = async (store: Store, now = start): Promise<Begun[]> => {
  const keys = await listDue(store, now)
  const loaded = await store.loadDeliveries(keys)
  return keys.flatMap((key, index) => {
    const found = loaded[index]
    return found === undefined ? [] : { ...found, key: { ...key, delivery: found.delivery } }
  })
}

const attempt = {
  startedAt: start,
  durationMs: 1,
  url: 'https://receiver.example/',
  error: null,
  responseBody: null,
}

export const delivered: AttemptVerdict = { kind: 'delivered', attempt: { ...attempt, status: 200 } }
export const gone: AttemptVerdict = { kind: 'gone', attempt: { ...attempt, status: 410 } }
export const failed: AttemptVerdict = {
  kind: 'retry',
  attempt: { ...attempt, status: 500 },
  delayMs: 60_000,
  releasesLane: false,
}

/** Settles one attempt. */
export const settle = async (
  store: Store,
  { key }: Begun,
  result: AttemptVerdict,
): Promise<SettlementOutcome | undefined> =>
  (await store.settleDeliveries([{ ...key, now: start, failingLimitMs: 86_400_000, result }]))[0]
