import { isDeepStrictEqual } from 'node:util'
import type { DeliveryRecord, LoadedDelivery, OwnedShard, SettlementOutcome, Store } from '@wabakit/core'
import { listDeliveries } from '../src/engines/observed-store.ts'
import { type CallEntry, type HistoryEntry, listKeys, type RecordedMethod } from '../src/histories/history.ts'

/** The stores on which a history is replayed. */
export type RealStores = {
  getStore(server: string): Promise<Store>
  /** Sets the engine's clock, if the engine has one. */
  setTime(now: number): Promise<void>
  findShard(deliveryId: string): Promise<number>
  /** Closes the store of a process that has ended. The next `getStore` opens it again. */
  endProcess(server: string): Promise<void>
}

/** The first call whose outcome differs from the recorded one. */
export type Difference = {
  readonly index: number
  readonly method: string
  readonly expected: unknown
  readonly actual: unknown
}

/** Removes the id of a delivery, because each engine generates different ids. */
const omitId = ({ id: _, ...delivery }: DeliveryRecord): object => delivery

const normalizeLoaded = (loaded: ReadonlyArray<LoadedDelivery | null>): unknown[] =>
  loaded.map(
    (each) =>
      each && {
        delivery: omitId(each.delivery),
        pace: each.pace,
        // PostgreSQL uses the time of its own clock.
        subscription: { ...each.subscription, failingSince: each.subscription.failingSince !== null },
      },
  )

const normalizeSettled = (outcomes: readonly SettlementOutcome[]): unknown[] =>
  outcomes.map((each) => {
    if (each.outcome === 'stale') return each
    const { delivery, next, health } = each
    return {
      ...each,
      delivery: omitId(delivery),
      next: next && { dueAt: next.dueAt, version: next.version },
      // The events contain times, so only their types are compared.
      health: health.map(({ type }) => type),
    }
  })

const normalize = (method: RecordedMethod, outcome: unknown): unknown => {
  // The recorded history has also been converted to JSON and back.
  const plain: unknown = outcome === undefined ? null : JSON.parse(JSON.stringify(outcome))
  if (method === 'loadDeliveries') return normalizeLoaded(plain as LoadedDelivery[])
  if (method === 'settleDeliveries') return normalizeSettled(plain as SettlementOutcome[])
  if (method === 'erase') return null
  return typeof plain === 'object' && plain !== null && 'resent' in plain ? plain.resent : plain
}

const findTime = ([value]: readonly unknown[]): number | undefined => {
  const { now, event } = Object(Array.isArray(value) ? value[0] : value)
  const time = now ?? event?.occurredAt
  return typeof time === 'number' ? time : undefined
}

/** Replays a history call by call. Returns the first difference, or `undefined` if there is none. */
export const replayHistory = async (
  history: readonly HistoryEntry[],
  stores: RealStores,
): Promise<Difference | undefined> => {
  /** The epochs of the shards in the history, and in the replay, in which one worker owns all shards. */
  const recorded = new Map<number, number>()
  const own = new Map<number, number>()

  const takeAll = async (now: number): Promise<void> => {
    const store = await stores.getStore('owner')
    const worker = 'owner'
    const { shards } = await store.renewWorker({ worker, leaseMs: 365 * 86_400_000, now })
    for (const { shard, epoch } of await store.takeShards({ worker, shards, now })) own.set(shard, epoch)
  }

  const translate = async ({ method, values, names }: CallEntry): Promise<readonly unknown[]> => {
    const keys = listKeys(method, values)
    if (keys.length === 0) return values
    const all = await listDeliveries(await stores.getStore('owner'))
    const translated = keys.map(async (key) => {
      const name = names[key.id]
      const found = all.find(
        ({ eventId, subscriptionId }) => eventId === name?.eventId && subscriptionId === name.subscriptionId,
      )
      const id = found?.id ?? 'dlv_0_0'
      const shard = await stores.findShard(id)
      // An attempt of an earlier owner has an earlier epoch.
      const isCurrent = recorded.get(key.shard) === key.epoch
      const delivery = 'delivery' in key ? { delivery: { ...Object(key.delivery), id } } : {}
      return { ...key, ...delivery, id, shard, epoch: (own.get(shard) ?? 0) - Number(!isCurrent) }
    })
    return [await Promise.all(translated)]
  }

  for (const [index, entry] of history.entries()) {
    const { server, method } = entry
    if (method === 'process ended') {
      await stores.endProcess(server)
      own.clear()
      continue
    }
    const now = findTime(entry.values)
    if (now !== undefined) await stores.setTime(now)
    if (own.size === 0) await takeAll(now ?? 0)
    if (method === 'takeShards') {
      for (const { shard, epoch } of entry.outcome as OwnedShard[]) recorded.set(shard, epoch)
      continue
    }
    const store = await stores.getStore(server)
    const outcome: unknown = await Reflect.apply(store[method], store, await translate(entry))
    const expected = normalize(method, entry.outcome)
    const actual = normalize(method, outcome)
    if (!isDeepStrictEqual(actual, expected)) return { index, method, expected, actual }
  }
  return undefined
}
