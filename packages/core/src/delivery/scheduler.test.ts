import { expect, onTestFinished, test, vi } from 'vitest'
import { createScenario, runFor } from '../../test/scheduler-scenario.ts'
import { defer, delivered, retry } from '../../test/store-cases/deliveries.ts'
import { buildSubscription, start } from '../../test/store-cases/records.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { AttemptVerdict, QueueChange, Store } from '../store.ts'

// The conditions that must never happen, as listed in `scheduler.ts`.

test('no delivery is under way twice, even if it is sent again, reported and read again', async () => {
  const { store, scheduler, attempts, publish, wait, list } = await createScenario()
  await publish(1)
  await wait()
  expect(attempts.length).toBe(1)
  attempts[0]?.end(retry(0))
  await wait()
  const [again] = attempts
  await store.resendDeliveries({ organizationId: 'acme', now: start, limit: 10, webhookIdSuffix: null })
  scheduler.onChange({ kind: 'missed' })
  await wait()
  expect(attempts).toEqual([again])
  again?.end(delivered)
  await wait()
  // Its result belongs to an earlier version.
  expect([attempts.length, await list()]).toEqual([1, ['pending']])
  attempts[0]?.end(delivered)
  await wait()
  expect([attempts.length, await list()]).toEqual([0, ['delivered']])
})

test('a queue has no more deliveries under way than allowed, and only one if it is new or failing', async () => {
  const { attempts, publish, wait } = await createScenario({ sharesFairly: true, perSubscription: 3 })
  await publish(10)
  await wait()
  expect(attempts.length).toBe(1)
  attempts[0]?.end(delivered)
  await wait()
  expect(attempts.length).toBe(3)
  attempts[0]?.end(retry(60_000))
  await wait()
  expect(attempts.length).toBe(2)
  for (const { end } of [...attempts]) end(retry(60_000))
  await expect.poll(() => attempts.length).toBe(1)
})

test('a failing queue has one delivery under way, even if its state was read before it failed', async () => {
  const { store, clock, scheduler, attempts, publish, wait } = await createScenario({ sharesFairly: true })
  const reported: QueueChange[] = []
  store.listen((change) => reported.push(change))
  await publish(20)
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  clock.time += 2_000
  for (const { end } of [...attempts]) end(retry(60_000))
  await wait()
  expect(attempts.length).toBe(1)
  const [first] = reported
  if (first?.kind !== 'head') throw new Error('no head was reported')
  scheduler.onChange({ kind: 'changed', state: { ...first.state, pace: 'quick' } })
  await wait()
  expect(attempts.length).toBe(1)
})

test('an endpoint that fails is still failing after a change that was read before its failure is written', async () => {
  const store = memoryStore()
  const { promise: slowWrite, resolve: endSlowWrite } = Promise.withResolvers<void>()
  const slowStore: Store = {
    ...store,
    settleDeliveries: async (settlements) => {
      await slowWrite
      return store.settleDeliveries(settlements)
    },
  }
  const reported: QueueChange[] = []
  store.listen((change) => reported.push(change))
  const { scheduler, attempts, publish, wait } = await createScenario({
    store: slowStore,
    sharesFairly: true,
  })
  await publish(10)
  await wait()
  attempts[0]?.end(retry(60_000))
  await wait()
  const [first] = reported
  if (first?.kind !== 'head') throw new Error('no head was reported')
  expect(first.state.pace).toBe('new')
  scheduler.onChange({ kind: 'changed', state: first.state })
  await wait()
  endSlowWrite()
  await wait()
  expect(attempts.length).toBe(1)
  // Only attempts of failing queues end at once.
  const closed = scheduler.close(60_000)
  expect(attempts.length).toBe(0)
  await closed
})

test('an endpoint that fails is still failing after a slow response that defers a delivery', async () => {
  const { attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(10)
  await wait()
  attempts[0]?.end(retry(60_000))
  await wait()
  attempts[0]?.end(defer(60_000), true)
  await wait()
  expect(attempts.length).toBe(1)
})

test('an endpoint is still new after a slow response that defers a delivery', async () => {
  const { attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(10)
  await wait()
  attempts[0]?.end(defer(60_000), true)
  await wait()
  expect(attempts.length).toBe(1)
})

test('a delivery that was picked before its queue failed waits until no other is under way', async () => {
  const store = memoryStore()
  const { promise: slowLoad, resolve: endSlowLoad } = Promise.withResolvers<void>()
  let loads = 0
  const slowStore: Store = {
    ...store,
    loadDeliveries: async (keys) => {
      loads++
      if (loads === 3) await slowLoad
      return store.loadDeliveries(keys)
    },
  }
  const { attempts, publish, wait } = await createScenario({
    store: slowStore,
    sharesFairly: true,
    perSubscription: 3,
  })
  await publish(4)
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  expect(attempts.length).toBe(3)
  // Its slot is free for a fifth, which is loaded slowly.
  await publish(1, 'fifth')
  attempts[0]?.end(delivered)
  await wait()
  expect([attempts.length, loads]).toEqual([2, 3])
  attempts[0]?.end(retry(60_000))
  await wait()
  endSlowLoad()
  await wait()
  expect(attempts.length).toBe(1)
  attempts[0]?.end(delivered)
  await wait()
  expect(attempts.length).toBe(1)
})

test('no attempt starts in a shard that was left, and running ones are stopped', async () => {
  const { scheduler, attempts, epochs, owned, publish, wait, list } = await createScenario()
  await publish(3)
  await wait()
  expect(attempts.length).toBe(3)
  const shards = [...epochs.keys()]
  epochs.clear()
  await Promise.all(shards.map((shard) => scheduler.leave(shard, 0)))
  expect(attempts.length).toBe(0)
  await publish(2, 'another')
  await wait()
  expect([attempts.length, await list()]).toEqual([
    0,
    ['pending', 'pending', 'pending', 'pending', 'waiting'],
  ])
  for (const { shard, epoch } of owned) epochs.set(shard, epoch)
  scheduler.take(owned)
  await wait()
  expect(attempts.length).toBe(4)
})

test('attempts that may still end in a shard that is being left are stopped if the shard is lost', async () => {
  const { scheduler, attempts, epochs, publish, wait } = await createScenario()
  await publish(3)
  await wait()
  const shards = [...epochs.keys()]
  epochs.clear()
  const left = Promise.all(shards.map((shard) => scheduler.leave(shard, 60_000)))
  expect(attempts.length).toBe(3)
  await Promise.all(shards.map((shard) => scheduler.leave(shard, 0)))
  expect(attempts.length).toBe(0)
  await left
})

test('attempts of a failing queue do not delay leaving a shard', async () => {
  const { scheduler, attempts, epochs, publish, wait } = await createScenario()
  await publish(2)
  await wait()
  attempts[0]?.end(retry(60_000))
  await wait()
  expect(attempts.length).toBe(1)
  const shards = [...epochs.keys()]
  epochs.clear()
  await Promise.all(shards.map((shard) => scheduler.leave(shard, 60_000)))
  expect(attempts.length).toBe(0)
})

test('no attempt starts between close and open, even if its delivery was being read', async () => {
  const { scheduler, attempts, owned, publish, wait } = await createScenario()
  await publish(1)
  await scheduler.close(0)
  await wait()
  expect(attempts.length).toBe(0)
  scheduler.open()
  scheduler.take(owned)
  await wait()
  expect(attempts.length).toBe(1)
})

test('no attempt starts before the scheduler is opened', async () => {
  const { attempts, open, publish, wait } = await createScenario({ isOpen: false })
  await publish(1)
  await wait()
  expect(attempts.length).toBe(0)
  open()
  await wait()
  expect(attempts.length).toBe(1)
})

/** Returns the largest number of starts in a second. */
const countMost = (starts: readonly number[]): number =>
  Math.max(...starts.map((at) => starts.filter((each) => each >= at && each < at + 1_000).length))

test('no more attempts start per second than a subscription allows, and others start at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const scenario = await createScenario({ subscriptions: 2, maxAttemptsPerSecond: 5 })
  const { store, scheduler, publish, list } = scenario
  const change = (revision: number, maxAttemptsPerSecond: number | null) =>
    store.saveSubscription(buildSubscription({ id: 'sub_0', revision, maxAttemptsPerSecond }))
  await publish(60)

  const atFirst = await runFor(scenario, 4_000)
  expect((await list()).filter((status) => status === 'delivered').length).toBe(60 + atFirst.length)
  await change(2, 2)
  const slower = await runFor(scenario, 4_000)
  await scheduler.close(0)
  scheduler.open()
  scheduler.take(scenario.owned)
  const reopened = await runFor(scenario, 2_000)
  await change(3, 0.5)
  const fewer = await runFor(scenario, 6_000)
  await change(4, null)
  const free = await runFor(scenario, 10)

  expect([atFirst.length, countMost(atFirst)]).toEqual([20, 5])
  expect([slower.length, countMost([...slower, ...reopened])]).toEqual([8, 2])
  expect([reopened.length, fewer.length]).toEqual([4, 3])
  expect(free.length).toBe(60 - 20 - 8 - 4 - 3)
})

test('of many thousand deliveries, only a few are read before they can be attempted', async () => {
  const base = memoryStore()
  let read = 0
  const store: Store = {
    ...base,
    readHeads: async (request) => {
      const page = await base.readHeads(request)
      read += page.heads.length
      return page
    },
  }
  const { scheduler, attempts, epochs, owned, publish, wait } = await createScenario({ store })
  epochs.clear()
  await publish(5_000)
  for (const { shard, epoch } of owned) epochs.set(shard, epoch)
  scheduler.take(owned)
  await wait()
  expect([attempts.length, read]).toEqual([8, 512])
})

test('a retry is attempted, even if the new delivery is reported late', async () => {
  const { store, clock, scheduler, attempts, publish, wait } = await createScenario()
  const late: QueueChange[] = []
  store.listen((change) => late.push(change))
  await publish(1)
  await wait()
  attempts[0]?.end(retry(5_000))
  await wait()
  for (const change of late) scheduler.onChange(change)
  await wait()
  clock.time += 6_000
  // One sweep finds that the reported delivery has changed. Reading it again must not need another.
  scheduler.onChange({ kind: 'missed' })
  await expect.poll(() => attempts.length).toBe(1)
})

test('a failure of the store is reported, and the affected deliveries are attempted later', async () => {
  const base = memoryStore()
  let failures = 2
  const store: Store = {
    ...base,
    loadDeliveries: (keys) =>
      failures-- > 0 ? Promise.reject(new Error('away')) : base.loadDeliveries(keys),
    nextDueAt: () => Promise.reject(new Error('away')),
  }
  const { attempts, errors, publish } = await createScenario({ store })
  await publish(1)
  await expect.poll(() => attempts.length).toBe(1)
  expect(errors.map(String)).toEqual(['Error: away', 'Error: away'])
})

test('a delivery that was added during a settlement that missed it is attempted after the settlement', async () => {
  const base = memoryStore()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isSettling = false
  const store: Store = {
    ...base,
    settleDeliveries: async (settlements) => {
      isSettling = true
      await released
      const outcomes = await base.settleDeliveries(settlements)
      isSettling = false
      return outcomes.map((each) => (each.outcome === 'settled' ? { ...each, next: null } : each))
    },
  }
  const { attempts, scheduler, publish, wait } = await createScenario({ store, isSettling: () => isSettling })
  const reported: QueueChange[] = []
  store.listen((change) => reported.push(change))
  await publish(1, 's')
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  await publish(1, 's')
  const [change] = reported
  if (change?.kind !== 'head') throw new Error('no head was reported')
  scheduler.onChange({ kind: 'appended', state: change.state, from: change.head.position + 1 })
  await wait()
  expect(attempts).toHaveLength(0)
  release()
  await wait()
  expect(attempts).toHaveLength(1)
})

test('the pace of an endpoint follows its results, and is written when it changes', async () => {
  const base = memoryStore()
  const written: unknown[] = []
  const store: Store = {
    ...base,
    settleDeliveries: async (settlements) => {
      written.push(...settlements.map(({ pace }) => pace))
      return base.settleDeliveries(settlements)
    },
  }
  const { clock, attempts, publish, wait } = await createScenario({ store })
  let count = 0
  const attempt = async (result: AttemptVerdict, isSlow = false, passes = 1_000): Promise<unknown> => {
    clock.time += passes
    await publish(1, `subject ${count++}`)
    await wait()
    attempts.at(-1)?.end(result, isSlow)
    await wait()
    return written.at(-1)
  }
  const refused: AttemptVerdict = { ...delivered, kind: 'refused' }
  expect(await attempt(delivered)).toBe('quick')
  expect(await attempt(delivered)).toBeUndefined()
  expect(await attempt(delivered, true)).toBe('slow')
  expect(await attempt(refused)).toBeUndefined()
  expect(await attempt(defer(1e9))).toBeUndefined()
  expect(await attempt(retry(1e9, true))).toBe('failing')
  expect(await attempt(defer(1e9), true)).toBeUndefined()
  expect(await attempt(delivered)).toBe('quick')
  expect(await attempt(defer(1e9))).toBeUndefined()
  expect(await attempt(defer(1e9), true)).toBe('slow')
  // It is written at most once per second.
  expect(await attempt(delivered, false, 999)).toBeUndefined()
  expect(await attempt(delivered, false, 1)).toBe('quick')
  expect(written.length).toBe(count)
})

test('an endpoint that another process has changed is new again', async () => {
  const { store, attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(3)
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  expect(attempts.length).toBe(2)
  attempts[0]?.end(delivered)
  await wait()
  await store.saveSubscription(
    buildSubscription({ id: 'sub_0', url: 'https://elsewhere.example/', revision: 2 }),
  )
  await publish(3)
  await wait()
  expect(attempts.length).toBe(1)
})

test('a sweep finds deliveries that were not reported, in the shards of this worker', async () => {
  const base = memoryStore()
  const asked: number[][] = []
  const store: Store = {
    ...base,
    listen: () => () => {},
    readQueues: async (query) => {
      asked.push([...query.shards])
      return base.readQueues(query)
    },
  }
  const { scheduler, attempts, epochs, publish, wait } = await createScenario({ store })
  await publish(2)
  await wait()
  expect(attempts.length).toBe(0)
  epochs.delete(7)
  await scheduler.sweep()
  await wait()
  expect(attempts.length).toBe(2)
  expect(asked.at(-1)).toEqual([0, 1, 2, 3, 4, 5, 6])
  const reads = asked.length
  await scheduler.sweep()
  expect(asked.length).toBe(reads + 1)
  await wait()
  expect(attempts.length).toBe(2)
  await publish(1, 'another')
  scheduler.onChange({ kind: 'missed' })
  await wait()
  expect(attempts.length).toBe(3)
})

test('a page that cannot be read is reported, and read again', async () => {
  const base = memoryStore()
  let failures = 1
  const store: Store = {
    ...base,
    readHeads: async (query) => {
      if (failures-- > 0) throw new Error('no page')
      return base.readHeads(query)
    },
  }
  const { scheduler, attempts, errors, owned, publish, wait } = await createScenario({ store })
  await publish(1)
  for (const { shard } of owned) void scheduler.leave(shard, 0)
  scheduler.take(owned)
  await wait()
  expect(errors.map(String)).toEqual(['Error: no page'])
  await expect.poll(() => attempts.length).toBe(1)
})

test('a delivery that was reported after close is attempted after open, when the shards have new epochs', async () => {
  const { scheduler, attempts, takeAgain, publish, wait } = await createScenario()
  await scheduler.close(0)
  await publish(1)
  await wait()
  scheduler.open()
  await takeAgain()
  await wait()
  expect(attempts.length).toBe(1)
})

test('a page that is read after close does not delay its deliveries after open', async () => {
  const base = memoryStore()
  let slowRead: Promise<void> | undefined
  const { promise, resolve: endSlowRead } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    listen: () => () => {},
    readQueues: async (query) => {
      const page = await base.readQueues(query)
      await slowRead
      return page
    },
  }
  const { scheduler, attempts, takeAgain, publish, wait } = await createScenario({ store })
  await publish(1)
  slowRead = promise
  void scheduler.sweep()
  await scheduler.close(0)
  endSlowRead()
  await wait()
  scheduler.open()
  await takeAgain()
  await wait()
  expect(attempts.length).toBe(1)
})

test('a sweep does not skip what was added to a shard that was taken during the sweep', async () => {
  const base = memoryStore()
  let slowRead: Promise<void> | undefined
  const { promise, resolve: endSlowRead } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    listen: () => () => {},
    readQueues: async (query) => {
      if (query.since !== undefined) await slowRead
      return base.readQueues(query)
    },
  }
  const { scheduler, attempts, epochs, owned, publish, wait } = await createScenario({
    store,
    subscriptions: 8,
  })
  for (const { shard } of owned.slice(1)) {
    epochs.delete(shard)
    void scheduler.leave(shard, 0)
  }
  slowRead = promise
  const sweep = scheduler.sweep()
  for (const { shard, epoch } of owned) epochs.set(shard, epoch)
  scheduler.take(owned.slice(1))
  await wait()
  await publish(1)
  endSlowRead()
  await sweep
  await scheduler.sweep()
  await wait()
  expect(attempts.length).toBe(8)
})
