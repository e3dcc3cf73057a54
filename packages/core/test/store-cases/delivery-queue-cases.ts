import { newProgress } from '../../src/storage/progress.ts'
import type { QueueChange, Store, StoredQueue } from '../../src/store.ts'
import { equal, ok } from './assert.ts'
import {
  begin,
  beginOne,
  delivered,
  exhausted,
  findPending,
  listAll,
  listNames,
  publish,
  retry,
  settle,
  setUp,
  worker,
} from './deliveries.ts'
import { buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const subjects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ subject: `group:g${index}`, name: `E${index}` }))

const leaseMs = 60_000

const allShards = (store: Store): number[] => Array.from({ length: store.shards }, (_, shard) => shard)

const readQueues = async (store: Store, since?: string) => {
  const page = await store.readQueues({ shards: allShards(store), since, limit: 100 })
  return { ...page, states: page.queues.map(({ state }) => state) }
}

const readQueue = async (store: Store): Promise<StoredQueue> => {
  const [state, ...others] = (await readQueues(store)).states
  ok(state !== undefined && others.length === 0, 'expected one queue')
  return state
}

/** Waits for a change of a kind, for at most 5 s. */
const listenFor = (store: Store, kind: QueueChange['kind']): Promise<QueueChange> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no such change was reported within 5 s: ${kind}`)),
      5_000,
    )
    const stop = store.listen((change) => {
      if (change.kind !== kind) return
      clearTimeout(timer)
      stop()
      resolve(change)
    })
  })

/** The records that a scheduler reads, and their ownership. */
export const deliveryQueueCases = defineCases({
  'lists the queues of some shards that have unfinished deliveries': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    equal((await readQueues(store)).queues, [])
    await publish(store, {})
    const { states } = await readQueues(store)
    equal(states.length, 2)
    equal(new Set(states.map(({ queue }) => queue)).size, 2)
    for (const { shard, organizationId, pace } of states) {
      equal([organizationId, pace], ['acme', 'new'])
      ok(shard >= 0 && shard < store.shards, 'the shard is one of the store')
    }
    const own = states.filter(({ shard }) => shard === states[0]?.shard)
    const page = await store.readQueues({ shards: [own[0]?.shard ?? 0], limit: 100 })
    equal(
      page.queues.map(({ state }) => state),
      own,
    )
    equal((await store.readQueues({ shards: [], limit: 100 })).queues, [])
    for (const each of await begin(store)) await settle(store, each, delivered)
    equal((await readQueues(store)).queues, [])
  },

  'lists queues page by page': async (store) => {
    const ids = Array.from({ length: 7 }, (_, index) => `sub_${index}`)
    await setUp(
      store,
      ids.map((id) => buildSubscription({ id })),
    )
    await publish(store, {})
    const found: string[] = []
    let since: string | undefined
    for (let isMore = true; isMore; ) {
      const page = await store.readQueues({ shards: allShards(store), since, limit: 3 })
      found.push(...page.queues.map(({ state }) => state.queue))
      isMore = page.isMore
      since = page.cursor
    }
    equal(new Set(found).size, 7)
  },

  'lists a queue again after a new delivery, and after each change by request': async (store) => {
    await setUp(store)
    await publish(store, {})
    const { queue } = await readQueue(store)
    let { cursor } = await readQueues(store)
    const changes: Record<string, () => Promise<unknown>> = {
      event: () => publish(store, { subject: 'group:g2' }),
      url: () => store.saveSubscription(buildSubscription({ revision: 2, url: 'https://other.example/' })),
      cancel: async () => {
        const [first] = await listAll(store)
        const request = { organizationId: 'acme', deliveryId: first?.id ?? '', now: start }
        return store.cancelDelivery(request)
      },
      resend: () =>
        store.resendDeliveries({ organizationId: 'acme', now: start, limit: 9, webhookIdSuffix: null }),
    }
    for (const [name, change] of Object.entries(changes)) {
      await change()
      const page = await readQueues(store, cursor)
      equal(
        page.states.map((each) => each.queue),
        [queue],
        name,
      )
      cursor = page.cursor
    }
  },

  'reads heads in order, page by page, however many deliveries are behind them': async (store) => {
    await setUp(store)
    await publish(
      store,
      { name: 'A', subject: 's1' },
      ...Array.from({ length: 5 }, () => ({ name: 'behind', subject: 's1' })),
      { name: 'B', subject: 's2' },
      { name: 'behind', subject: 's2' },
      { name: 'C', subject: 's3' },
    )
    const { queue } = await readQueue(store)
    const names = new Map((await listAll(store)).map(({ id, eventName }) => [id, eventName]))
    const pages: Array<Array<string | undefined>> = []
    for (let after = -1, isEnd = false; !isEnd && pages.length < 9; ) {
      const page = await store.readHeads({ queue, after, limit: 3 })
      pages.push(page.heads.map(({ id }) => names.get(id)))
      after = page.after
      isEnd = page.isEnd
    }
    equal(pages.slice(0, 3), [['A'], [], ['B', 'C']])
  },

  'reads retries in the order in which they are due, and reports whether there are more': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(3))
    const { queue } = await readQueue(store)
    for (const [index, each] of (await begin(store)).entries())
      await settle(store, each, retry(9_000 - index * 1_000))
    const page = await store.readRetries({ queue, limit: 2 })
    equal([page.retries.map(({ dueAt }) => dueAt - start), page.isEnd], [[7_000, 8_000], false])
    equal(
      page.retries.map(({ version }) => version),
      [1, 1],
    )
    equal((await store.readRetries({ queue, limit: 3 })).isEnd, true)
    equal((await store.readHeads({ queue, after: -1, limit: 9 })).heads, [])
  },

  'loads the current data for an attempt': async (store) => {
    await setUp(store)
    const [published] = await publish(store, { hasCustomPayload: true })
    const changed = buildSubscription({
      revision: 2,
      url: 'https://elsewhere.example/',
      maxAttemptsPerSecond: 2.5,
      secret: 'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3',
      previousSecret: { secret: buildSubscription().secret, expiresAt: start + 5 },
    })
    await store.saveSubscription(changed)
    const begun = await beginOne(store)
    equal(begun.event, published)
    equal(begun.subscription, changed)
    equal(begun.delivery, {
      id: begun.delivery.id,
      organizationId: 'acme',
      subscriptionId: 'sub_1',
      eventId: published?.id,
      eventName: 'GROUP_CREATED',
      subject: 'group:g1',
      webhookId: published?.id,
      status: 'pending',
      dueAt: start,
      ...newProgress,
      createdAt: start,
      finishedAt: null,
    })
    equal(await listAll(store), [begun.delivery])
  },

  'loads nothing for another version or epoch, a finished delivery, and a disabled or removed subscription':
    async (store) => {
      await setUp(store)
      await publish(store, ...subjects(3))
      const [first, second, third] = await begin(store)
      ok(first !== undefined && second !== undefined && third !== undefined, 'three are due')
      const { key } = first
      const unknown = { ...key, id: 'nobody' }
      equal(
        await store.loadDeliveries([
          { ...key, version: key.version + 1 },
          { ...key, epoch: key.epoch + 1 },
          unknown,
        ]),
        [undefined, undefined, undefined],
      )
      await settle(store, first, delivered)
      const [gone, there] = await store.loadDeliveries([key, second.key])
      equal([gone, there?.delivery.id], [undefined, second.key.id])
      await store.saveSubscription(buildSubscription({ revision: 2, disabledReason: 'by_hand' }))
      equal(await store.loadDeliveries([second.key]), [undefined])
      await store.saveSubscription(buildSubscription({ revision: 3 }))
      await publish(store, {})
      const last = await beginOne(store)
      await store.removeSubscription('acme', 'sub_1')
      equal(await store.loadDeliveries([last.key]), [undefined])
    },

  'settles each delivery of a batch on its own, and returns the next delivery of each lane': async (
    store,
  ) => {
    await setUp(store)
    await publish(
      store,
      { name: 'A', subject: 's1' },
      { name: 'A2', subject: 's1' },
      { name: 'B', subject: 's2' },
      { name: 'B2', subject: 's2' },
      { name: 'C', subject: 's3' },
      { name: 'C2', subject: 's3' },
    )
    const [first, second, third] = await begin(store)
    ok(first !== undefined && second !== undefined && third !== undefined, 'three are due')
    const common = { now: start + 1, failingLimitMs: 86_400_000 }
    const outcomes = await store.settleDeliveries([
      { ...first.key, ...common, result: delivered },
      { ...second.key, ...common, version: 7, result: delivered },
      { ...third.key, ...common, result: retry(5_000) },
    ])
    equal(
      outcomes.map((each) =>
        each.outcome === 'settled' ? [each.version, each.delivery.status] : each.outcome,
      ),
      [[1, 'delivered'], 'stale', [1, 'pending']],
    )
    const nexts = outcomes.map((each) => (each.outcome === 'settled' ? each.next : undefined))
    const [next] = nexts
    equal(nexts.slice(1), [undefined, null])
    ok(next, 'the next of the lane is returned')
    const found = (await findPending(store)).find(({ pending }) => pending.id === next.id)
    equal(found?.pending, next)
    equal(listNames(await begin(store)), ['A2'])
  },

  'settles the other deliveries of a batch when a shard is lost': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    await publish(store, {})
    const keys = (await begin(store)).map(({ key }) => key)
    const [lost, other] = keys
    ok(lost !== undefined && other !== undefined, 'two are due')
    const isShared = lost.shard === other.shard
    equal(isShared, store.shards === 1, 'they are in different shards if there are several')
    await store.takeShards({ worker, shards: [lost], now: start })
    const common = { now: start, result: delivered, failingLimitMs: 86_400_000 }
    const outcomes = await store.settleDeliveries(keys.map((key) => ({ ...key, ...common })))
    equal(
      outcomes.map(({ outcome }) => outcome),
      ['stale', isShared ? 'stale' : 'settled'],
    )
  },

  'returns the next delivery of a lane when two deliveries that block it are settled in one batch': async (
    store,
  ) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C' })
    const first = await beginOne(store)
    await settle(store, first, retry(1_000, true))
    const second = await beginOne(store)
    await settle(store, second, retry(1_000))
    const both = await begin(store, { now: start + 1_000 })
    const common = { now: start + 1_000, failingLimitMs: 86_400_000, result: exhausted }
    const outcomes = await store.settleDeliveries(both.map(({ key }) => ({ ...key, ...common })))
    const next = (await listAll(store)).at(-1)?.id
    ok(
      outcomes.some((each) => each.outcome === 'settled' && each.next?.id === next),
      'the third can continue',
    )
  },

  'returns no next delivery of a lane that the settled delivery blocks, even if an earlier one was sent again':
    async (store) => {
      await setUp(store)
      await publish(store, { name: 'A' }, { name: 'B' })
      await settle(store, await beginOne(store), delivered)
      const second = await beginOne(store)
      const query = { organizationId: 'acme', now: start, limit: 1, webhookIdSuffix: null }
      equal((await store.resendDeliveries(query)).resent, 1)
      const settled = await settle(store, second, retry(60_000))
      equal(settled.outcome === 'settled' && settled.next, null)
      equal(listNames(await begin(store)), ['A'])
    },

  'reports a new delivery that is the head of its lane': async (store) => {
    await setUp(store)
    const reported = listenFor(store, 'head')
    await publish(store, {})
    const state = await readQueue(store)
    const [found] = await findPending(store)
    equal(await reported, { kind: 'head', state, head: found?.pending })
  },

  'reports every change by request': async (store) => {
    await setUp(store)
    const [event] = await publish(store, {}, {})
    const { queue } = await readQueue(store)
    const begun = await beginOne(store)
    await settle(store, begun, retry(60_000))
    const one = { organizationId: 'acme', deliveryId: begun.delivery.id, now: start }
    const eventIds = [event?.id ?? '']
    for (const change of [
      () => store.retryDelivery(one),
      () => store.cancelDelivery(one),
      () => store.resendDeliveries({ ...one, limit: 1, webhookIdSuffix: null }),
      () => store.erase({ organizationId: 'acme', now: start, callIds: [], participants: [], eventIds }),
      () => store.saveSubscription(buildSubscription({ revision: 2, url: 'https://other.example/' })),
    ]) {
      const reported = listenFor(store, 'changed')
      await change()
      const seen = await reported
      equal(seen.kind === 'changed' && seen.state.queue, queue)
    }
    equal((await readQueue(store)).pace, 'new')
  },

  'gives all shards to the only worker': async (store) => {
    const view = await store.renewWorker({ worker: 'w1', leaseMs, now: start })
    equal([view.workers, view.shards.length], [['w1'], store.shards])
    const taken = await store.takeShards({ worker: 'w1', shards: view.shards, now: start })
    equal(
      taken.map(({ shard }) => shard).sort((left, right) => left - right),
      allShards(store),
    )
    const { shards } = await store.renewWorker({ worker: 'w1', leaseMs, now: start })
    ok(
      shards.every(({ owner }) => owner === 'w1'),
      'they belong to it',
    )
    await store.endWorker('w1')
  },
})
