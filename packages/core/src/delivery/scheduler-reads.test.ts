import { expect, onTestFinished, test, vi } from 'vitest'
import { createScenario } from '../../test/scheduler-scenario.ts'
import { defer, delivered, retry } from '../../test/store-cases/deliveries.ts'
import { buildEvent, buildSubscription } from '../../test/store-cases/records.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'
import { prefetchLimits } from './queues.ts'

// A scheduler reads a store again at the right times, and no more than it must.

/** A store that reports nothing. */
const createSilentStore = (): Store => ({ ...memoryStore(), listen: () => () => {} })

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

const setBudget = (budget: number): void => {
  const before = prefetchLimits.budget
  prefetchLimits.budget = budget
  onTestFinished(() => {
    prefetchLimits.budget = before
  })
}

test('a reported delivery is attempted and settled without reading a page', async () => {
  const base = memoryStore()
  let pages = 0
  const store: Store = {
    ...base,
    readHeads: (query) => {
      pages++
      return base.readHeads(query)
    },
    readRetries: (query) => {
      pages++
      return base.readRetries(query)
    },
  }
  const { attempts, publish, wait, list } = await createScenario({ store })
  await publish(2)
  await publish(2, 'one after another')
  for (const count of [3, 1]) {
    await wait()
    expect(attempts.length).toBe(count)
    for (const { end } of [...attempts]) end(delivered)
  }
  await wait()
  expect([(await list()).filter((status) => status === 'delivered').length, pages]).toEqual([4, 0])
})

test('a delivery is attempted while other pages of queues are being read', async () => {
  const base = createSilentStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    readQueues: async (query) => {
      if (query.since !== undefined) await slowPage
      return { ...(await base.readQueues(query)), isMore: query.since === undefined }
    },
  }
  const { attempts, open, publish, wait } = await createScenario({ store, isOpen: false })
  await publish(1)
  open()
  await wait()
  expect(attempts.length).toBe(1)
  await publish(1, 'another')
  endSlowPage()
  await wait()
  expect(attempts.length).toBe(2)
})

test('changes that are missed while queues are read cause one more read', async () => {
  const base = createSilentStore()
  const pages: Array<() => void> = []
  const store: Store = {
    ...base,
    // The page does not contain what is published while it is read.
    readQueues: async (query) => {
      const page = await base.readQueues(query)
      await new Promise<void>((resolve) => pages.push(resolve))
      return page
    },
  }
  const { attempts, scheduler, publish, wait } = await createScenario({ store })
  const endPage = async (): Promise<void> => {
    pages.shift()?.()
    await wait()
  }
  await publish(1)
  for (const _ of [1, 2]) scheduler.onChange({ kind: 'missed' })
  await wait()
  expect(pages.length, 'the shards are being read').toBe(1)
  await endPage()
  expect([pages.length, attempts.length]).toEqual([1, 0])
  scheduler.onChange({ kind: 'missed' })
  await wait()
  expect(pages.length, 'a sweep is under way').toBe(1)
  await endPage()
  expect([pages.length, attempts.length]).toEqual([1, 1])
  await endPage()
  expect(pages.length).toBe(0)
})

test('at most four pages of deliveries are read at the same time', async () => {
  const base = createSilentStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  let reading = 0
  const store: Store = {
    ...base,
    readHeads: async (query) => {
      reading++
      await slowPage
      reading--
      return base.readHeads(query)
    },
  }
  const { attempts, open, publish, wait } = await createScenario({ store, subscriptions: 7, isOpen: false })
  await publish(1)
  open()
  await wait()
  expect(reading).toBe(4)
  endSlowPage()
  await wait()
  expect(attempts.length).toBe(7)
})

test('the number of deliveries that are read depends on the number of queues', async () => {
  setBudget(40)
  const base = createSilentStore()
  let read = 0
  const store: Store = {
    ...base,
    readHeads: async (query) => {
      const page = await base.readHeads(query)
      read += page.heads.length
      return page
    },
  }
  const { attempts, open, publish, wait } = await createScenario({
    store,
    subscriptions: 4,
    perSubscription: 1,
    isOpen: false,
  })
  await publish(50)
  open()
  await wait()
  expect([attempts.length, read]).toEqual([4, 40])
})

test('a queue without deliveries leaves its share of the held deliveries to others', async () => {
  setBudget(16)
  const base = memoryStore()
  const limits: number[] = []
  const store: Store = {
    ...base,
    readHeads: (query) => {
      limits.push(query.limit)
      return base.readHeads(query)
    },
  }
  const { attempts, publish, wait } = await createScenario({ store, subscriptions: 7, perSubscription: 1 })
  await store.saveSubscription(buildSubscription({ id: 'other', digits: '15550100003' }))
  await publish(1)
  await wait()
  expect(attempts.length).toBe(7)
  for (const { end } of [...attempts]) end(delivered)
  await wait()
  for (let index = 0; index < 40; index++)
    await store.addEvent(buildEvent({ digits: '15550100003', subject: `other ${index}` }))
  for (let ended = 0; ended < 40; ended++) {
    await wait()
    expect(attempts.length).toBe(1)
    attempts[0]?.end(delivered)
  }
  expect(new Set(limits)).toEqual(new Set([16]))
})

test.each([
  { queues: 'one queue', subscriptions: 1, first: 30, second: 30_000 },
  { queues: 'one queue', subscriptions: 1, first: 30_000, second: 30 },
  { queues: 'two queues', subscriptions: 2, first: 30, second: 30_000 },
  { queues: 'two queues', subscriptions: 2, first: 30_000, second: 30 },
])('deliveries in $queues, due after $first and $second ms, start when they are due', async (each) => {
  const { subscriptions, first, second } = each
  useFakeTimers()
  const { clock, attempts, publish, wait } = await createScenario({ subscriptions })
  await publish(2 / subscriptions)
  await wait()
  attempts[0]?.end(retry(first))
  await wait()
  attempts[0]?.end(retry(second))
  await wait()
  const counts: number[] = []
  for (const ms of [29, 1, 29_969, 1]) {
    clock.time += ms
    await vi.advanceTimersByTimeAsync(ms)
    await wait()
    counts.push(attempts.length)
  }
  expect(counts).toEqual([0, 1, 1, 2])
})

test('a worker continues after a lease that ended while deliveries waited for a slot', async () => {
  const { attempts, errors, scheduler, epochs, owned, takeAgain, publish, wait } = await createScenario({
    concurrency: 1,
  })
  await publish(3)
  await wait()
  expect(attempts.length).toBe(1)
  epochs.clear()
  attempts[0]?.end(delivered)
  await wait()
  expect(attempts.length).toBe(0)
  await Promise.all(owned.map(({ shard }) => scheduler.leave(shard, 0)))
  await takeAgain()
  await wait()
  expect([attempts.length, errors]).toEqual([1, []])
})

test('no attempt starts in a shard that was left while its delivery was being read', async () => {
  const base = memoryStore()
  const { promise: slowLoad, resolve: endSlowLoad } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    loadDeliveries: async (keys) => {
      const loaded = await base.loadDeliveries(keys)
      await slowLoad
      return loaded
    },
  }
  const { attempts, scheduler, epochs, owned, publish, wait } = await createScenario({ store })
  await publish(1)
  await wait()
  epochs.clear()
  const left = Promise.all(owned.map(({ shard }) => scheduler.leave(shard, 60_000)))
  endSlowLoad()
  await wait()
  expect(attempts.length).toBe(0)
  await left
})

test('a page that was requested before its shard was left does not change the queue after the next take', async () => {
  const base = memoryStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  let pages = 0
  const store: Store = {
    ...base,
    readHeads: async (query) => {
      const page = await base.readHeads(query)
      if (pages++ === 0) await slowPage
      return page
    },
  }
  const { attempts, clock, scheduler, owned, takeAgain, publish, wait } = await createScenario({
    store,
    perSubscription: 1,
  })
  const leave = () => Promise.all(owned.map(({ shard }) => scheduler.leave(shard, 0)))
  await publish(1)
  await wait()
  attempts[0]?.end(retry(10))
  await wait()
  clock.time += 10
  await leave()
  await takeAgain()
  await wait()
  await leave()
  await takeAgain()
  await wait()
  expect([attempts.length, pages]).toEqual([1, 2])
  attempts[0]?.end(delivered)
  await wait()
  await publish(1, 'second')
  await wait()
  endSlowPage()
  await wait()
  await publish(1, 'third')
  await wait()
  expect(attempts.length).toBe(1)
})

test('shards that were taken while others were being read are read again after a failure', async () => {
  useFakeTimers()
  const base = createSilentStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  let reads = 0
  const store: Store = {
    ...base,
    readQueues: async (query) => {
      const read = ++reads
      if (read === 1) await slowPage
      if (read === 2) throw new Error('away')
      return base.readQueues(query)
    },
  }
  const { attempts, errors, scheduler, owned, publish, wait } = await createScenario({
    store,
    subscriptions: 8,
    isOpen: false,
  })
  await publish(1)
  scheduler.open()
  scheduler.take(owned.slice(0, 4))
  scheduler.take(owned.slice(4))
  await wait()
  endSlowPage()
  await wait()
  expect([attempts.length, errors.map(String)]).toEqual([4, ['Error: away']])
  await vi.advanceTimersByTimeAsync(250)
  await wait()
  expect(attempts.length).toBe(8)
})

test('a closed scheduler no longer tries to read', async () => {
  useFakeTimers()
  let reads = 0
  const store: Store = {
    ...memoryStore(),
    readQueues: () => {
      reads++
      return Promise.reject(new Error('away'))
    },
  }
  const { errors, scheduler, wait } = await createScenario({ store })
  await vi.advanceTimersByTimeAsync(250)
  await wait()
  expect([reads, errors.length]).toEqual([2, 2])
  await scheduler.close(0)
  await vi.advanceTimersByTimeAsync(5_000)
  expect([reads, errors.length]).toEqual([2, 2])
})

test('a sweep lists only what has changed since the last one, and is repeated if it failed', async () => {
  const base = createSilentStore()
  const found: number[] = []
  let failures = 0
  const store: Store = {
    ...base,
    readQueues: async (query) => {
      if (failures-- > 0) throw new Error('away')
      const page = await base.readQueues(query)
      found.push(page.queues.length)
      return page
    },
  }
  const { attempts, errors, scheduler, publish, wait } = await createScenario({ store })
  await publish(1)
  await scheduler.sweep()
  await scheduler.sweep()
  expect(found).toEqual([0, 1, 0])
  await publish(1, 'another')
  failures = 1
  await scheduler.sweep()
  await scheduler.sweep()
  await wait()
  expect([errors.map(String), attempts.length]).toEqual([['Error: away'], 2])
})

test('a sweep finds an endpoint that another process has changed', async () => {
  const store = createSilentStore()
  const { attempts, scheduler, publish, wait } = await createScenario({ store, sharesFairly: true })
  const attemptAll = async (): Promise<number> => {
    await publish(3)
    await scheduler.sweep()
    await wait()
    return attempts.length
  }
  expect(await attemptAll()).toBe(1)
  attempts[0]?.end(delivered)
  await wait()
  attempts[0]?.end(defer(600_000))
  attempts[0]?.end(delivered)
  await wait()
  // The third waits behind the one that was deferred.
  expect(await attemptAll()).toBe(2)
  for (const { end } of [...attempts]) end(delivered)
  await wait()
  await store.saveSubscription(
    buildSubscription({ id: 'sub_0', url: 'https://elsewhere.example/', revision: 2 }),
  )
  expect(await attemptAll()).toBe(1)
})
