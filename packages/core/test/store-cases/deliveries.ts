import type { AttemptResult, DeliveryRecord, EventRecord, SubscriptionRecord } from '../../src/records.ts'
import type {
  AttemptKey,
  AttemptVerdict,
  LoadedDelivery,
  OwnedShard,
  PendingDelivery,
  Settlement,
  SettlementOutcome,
  Store,
} from '../../src/store.ts'
import { ok } from './assert.ts'
import { buildEvent, buildOrganization, buildSubscription, start } from './records.ts'

const day = 86_400_000

/** Saves an organization with these subscriptions. */
export const setUp = async (
  store: Store,
  subscriptions: readonly SubscriptionRecord[] = [buildSubscription()],
) => {
  await store.saveOrganization(buildOrganization())
  for (const each of subscriptions) await store.saveSubscription(each)
}

/** Publishes events, one after another. */
export const publish = async (
  store: Store,
  ...events: ReadonlyArray<Partial<EventRecord>>
): Promise<EventRecord[]> => {
  const published = events.map((overrides) => buildEvent(overrides))
  for (const each of published) await store.addEvent(each)
  return published
}

/** The state of the cases' worker on a store. */
type Worker = {
  readonly owned: readonly OwnedShard[]
  /** The deliveries and versions for which an attempt was started. */
  readonly begun: Set<string>
}

const workers = new WeakMap<Store, Worker>()

/** The id of the worker that owns all shards. */
export const worker = 'worker of the cases'

/** Returns the worker of a store, which owns all shards. */
const getWorker = async (store: Store): Promise<Worker> => {
  const known = workers.get(store)
  if (known !== undefined) return known
  const { shards } = await store.renewWorker({ worker, leaseMs: 365 * day, now: start })
  const owned = await store.takeShards({ worker, shards, now: start })
  const created = { owned, begun: new Set<string>() }
  workers.set(store, created)
  return created
}

/** A pending delivery and the shard that it is in. */
type Found = OwnedShard & { readonly pending: PendingDelivery }

/** Reads all heads and retries of a queue, in pages that are smaller than most queues in the cases. */
const readQueue = async (store: Store, queue: string): Promise<PendingDelivery[]> => {
  const found: PendingDelivery[] = []
  for (let after = -1, isEnd = false; !isEnd; ) {
    const page = await store.readHeads({ queue, after, limit: 3 })
    found.push(...page.heads)
    after = page.after
    isEnd = page.isEnd
  }
  return [...found, ...(await store.readRetries({ queue, limit: 1_000 })).retries]
}

/** Finds everything that could be attempted at some time. */
export const findPending = async (store: Store): Promise<Found[]> => {
  const { owned } = await getWorker(store)
  const found: Found[] = []
  let since: string | undefined
  for (let isMore = true; isMore; ) {
    const page = await store.readQueues({ shards: owned.map(({ shard }) => shard), since, limit: 100 })
    for (const { state } of page.queues) {
      const epoch = owned.find(({ shard }) => shard === state.shard)?.epoch ?? -1
      for (const pending of await readQueue(store, state.queue))
        found.push({ shard: state.shard, epoch, pending })
    }
    since = page.cursor
    isMore = page.isMore
  }
  return found
}

/** A delivery for which an attempt was started. */
export type Begun = LoadedDelivery & { readonly key: AttemptKey & Pick<Settlement, 'delivery'> }

/**
 * Starts attempts of all deliveries that are due at a time (by default, the start), as the owner of all shards would.
 */
export const begin = async (
  store: Store,
  { now = start, limit = 100 }: { readonly now?: number; readonly limit?: number } = {},
): Promise<Begun[]> => {
  const { begun } = await getWorker(store)
  const due = (await findPending(store))
    .filter(({ pending }) => pending.dueAt <= now && !begun.has(`${pending.id} ${pending.version}`))
    .sort(
      ({ pending: left }, { pending: right }) => left.dueAt - right.dueAt || left.position - right.position,
    )
    .slice(0, limit)
  const keys = due.map(({ shard, epoch, pending: { id, version } }) => ({ shard, epoch, id, version }))
  for (const { id, version } of keys) begun.add(`${id} ${version}`)
  const loaded = await store.loadDeliveries(keys)
  return keys.flatMap((key, index) => {
    const found = loaded[index]
    return found === undefined ? [] : [{ ...found, key: { ...key, delivery: found.delivery } }]
  })
}

/** Starts exactly one attempt. */
export const beginOne = async (store: Store, options?: Parameters<typeof begin>[1]): Promise<Begun> => {
  const [begun, ...others] = await begin(store, options)
  ok(begun !== undefined && others.length === 0, 'expected exactly one delivery to be due')
  return begun
}

/** Builds the result of a successful attempt at the start. */
export const buildAttempt = (overrides: Partial<AttemptResult> = {}): AttemptResult => ({
  startedAt: start,
  durationMs: 0,
  url: 'https://receiver.example/hook',
  status: 200,
  error: null,
  responseBody: 'ok',
  ...overrides,
})

export const delivered: AttemptVerdict = { kind: 'delivered', attempt: buildAttempt() }
export const exhausted: AttemptVerdict = { kind: 'exhausted', attempt: buildAttempt({ status: 500 }) }
export const gone: AttemptVerdict = { kind: 'gone', attempt: buildAttempt({ status: 410 }) }
export const refused: AttemptVerdict = { kind: 'refused', attempt: buildAttempt({ status: null }) }
export const defer = (delayMs: number): AttemptVerdict => ({
  kind: 'deferred',
  attempt: buildAttempt({ status: 409 }),
  delayMs,
})
export const retry = (delayMs: number, releasesLane = false, startedAt = start): AttemptVerdict => ({
  kind: 'retry',
  attempt: buildAttempt({ status: 500, startedAt }),
  delayMs,
  releasesLane,
})

/** Settles one attempt. */
export const settle = async (
  store: Store,
  { key }: Pick<Begun, 'key'>,
  result: AttemptVerdict,
  now = start,
): Promise<SettlementOutcome> => {
  const settlement = { ...key, now, result, failingLimitMs: 5 * day }
  const [outcome] = await store.settleDeliveries([settlement])
  ok(outcome !== undefined, 'a settlement has an outcome')
  return outcome
}

/** Lists all deliveries of the organization. */
export const listAll = async (store: Store): Promise<DeliveryRecord[]> =>
  (await store.listDeliveries({ organizationId: 'acme', limit: 1_000 })).items

/** Returns the names of the events of attempted deliveries. */
export const listNames = (begun: readonly LoadedDelivery[]): string[] =>
  begun.map(({ event: { name } }) => name)

/** Lists the statuses of all deliveries, in the order of their events. */
export const listStatuses = async (store: Store): Promise<string[]> =>
  (await listAll(store)).map(({ status }) => status)
