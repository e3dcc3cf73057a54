import { expect, onTestFinished, test, vi } from 'vitest'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'
import { createOwnership } from './ownership.ts'

const leaseMs = 20_000

/** A worker on a store, with a clock that the test advances. */
const createWorker = (
  store: Store,
  worker: string,
  clock: { readonly time: number },
  getLeaseMs = () => leaseMs,
) => {
  const left: number[] = []
  /** Functions that end the attempts in the shards that are being left. */
  const running: Array<() => void> = []
  let isBusy = false
  const ownership = createOwnership({
    store,
    clock: { now: () => clock.time },
    worker,
    getLeaseMs,
    scheduler: {
      take: () => {},
      leave: (shard) => {
        left.push(shard)
        return isBusy ? new Promise((resolve) => running.push(resolve)) : Promise.resolve()
      },
    },
  })
  const list = (): number[] =>
    Array.from({ length: store.shards }, (_, shard) => shard).filter(
      (shard) => ownership.getEpoch(shard) !== undefined,
    )
  return {
    ...ownership,
    list,
    left,
    running,
    keepBusy: () => {
      isBusy = true
    },
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('a lone worker has all shards, and two workers end up with half each', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  const second = createWorker(store, 'second', clock)
  await first.renew()
  expect(first.list().length).toBe(8)
  for (let turn = 0; turn < 10; turn++) {
    await second.renew()
    await first.renew()
    await settle()
  }
  await second.renew()
  expect([first.list().length, second.list().length]).toEqual([4, 4])
  expect(new Set([...first.list(), ...second.list()]).size).toBe(8)
})

test('shards are given up one at a time, each after its running attempts have ended', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  const second = createWorker(store, 'second', clock)
  await first.renew()
  await second.renew()
  first.keepBusy()
  for (let turn = 0; turn < 5; turn++) await first.renew()
  expect([first.left.length, first.list().length]).toEqual([1, 7])
  await second.renew()
  expect(second.list()).toEqual([])
  first.running[0]?.()
  await settle()
  await second.renew()
  expect(second.list()).toEqual(first.left)
})

test('the shards of a worker that no longer renews its lease are taken, after the worker has noticed', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  const second = createWorker(store, 'second', clock)
  await first.renew()
  const epoch = first.getEpoch(3) ?? 0
  clock.time = leaseMs * 0.75
  expect(first.list()).toEqual([])
  expect(first.left.length).toBe(8)
  await second.renew()
  expect(second.list()).toEqual([])
  clock.time = leaseMs
  await second.renew()
  expect(second.list().length).toBe(8)
  expect(second.getEpoch(3)).toBe(epoch + 1)
})

test('a lease starts just before its renewal is sent', async () => {
  const clock = { time: 0 }
  const base = memoryStore()
  const store: Store = {
    ...base,
    renewWorker: async (renewal) => {
      const view = await base.renewWorker(renewal)
      clock.time += leaseMs
      return view
    },
  }
  const worker = createWorker(store, 'slow', clock)
  await worker.renew()
  expect(worker.list()).toEqual([])
})

test('a worker that was lost takes its shards again with new epochs', async () => {
  const store = memoryStore()
  const worker = createWorker(store, 'w', { time: 0 })
  await worker.renew()
  const epoch = worker.getEpoch(0) ?? 0
  await store.endWorker('w')
  worker.lose()
  expect(worker.list()).toEqual([])
  await worker.renew()
  expect([worker.list().length, worker.getEpoch(0)]).toEqual([8, epoch + 1])
})

test('a shard is not taken again while an attempt of an earlier epoch is running in it', async () => {
  const store = memoryStore()
  const worker = createWorker(store, 'w', { time: 0 })
  await worker.renew()
  worker.keepBusy()
  worker.lose()
  await worker.renew()
  expect(worker.list()).toEqual([])
  for (const end of worker.running) end()
  await settle()
  await worker.renew()
  expect(worker.list().length).toBe(8)
})

test('attempts in a shard that is being given up end at once when the worker is lost', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  await first.renew()
  await createWorker(store, 'second', clock).renew()
  first.keepBusy()
  await first.renew()
  const [given] = first.left
  expect(first.left).toEqual([given])
  first.lose()
  expect(first.left.filter((shard) => shard === given).length).toBe(2)
})

test('no attempt starts in a shard between the end of its last attempt and its return', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  await first.renew()
  await createWorker(store, 'second', clock).renew()
  first.keepBusy()
  await first.renew()
  const [given = 0] = first.left
  first.running[0]?.()
  for (let turn = 0; turn < 20; turn++) {
    expect(first.getEpoch(given)).toBeUndefined()
    await Promise.resolve()
  }
})

test('a renewal that was under way when the worker was lost does not give it a lease', async () => {
  const base = memoryStore()
  const renewed: Array<() => void> = []
  const store: Store = {
    ...base,
    renewWorker: async (renewal) => {
      const view = await base.renewWorker(renewal)
      await new Promise<void>((resolve) => renewed.push(resolve))
      return view
    },
  }
  const worker = createWorker(store, 'w', { time: 0 })
  const renewing = worker.renew()
  await settle()
  worker.lose()
  renewed[0]?.()
  await settle()
  expect(worker.list()).toEqual([])
  renewed[1]?.()
  await renewing
  expect(worker.list().length).toBe(8)
})

test('a worker leaves shards that another one has taken, even if its lease is valid', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  await first.renew()
  await store.endWorker('first')
  await createWorker(store, 'second', clock).renew()
  await first.renew()
  expect([first.list(), first.left.length]).toEqual([[], 8])
})

test('a worker has no lease before its first renewal, and none after it was lost', async () => {
  const worker = createWorker(memoryStore(), 'w', { time: 0 })
  expect(worker.check()).toBe(false)
  await worker.renew()
  expect(worker.check()).toBe(true)
  worker.lose()
  expect(worker.check()).toBe(false)
})

test.each([20_000, 400_000])('a lease of %i ms ends on its own, and one timer watches it', async (lease) => {
  vi.useFakeTimers({ now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const clock = {
    get time() {
      return Date.now()
    },
  }
  const worker = createWorker(memoryStore(), 'w', clock, () => lease)
  await worker.renew()
  await vi.advanceTimersByTimeAsync(lease / 2)
  await worker.renew()
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(0.75 * lease - 1)
  expect(worker.left).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(worker.left.length).toBe(8)
  expect(vi.getTimerCount()).toBe(0)
})

test('a worker that was lost does not take a shard again before attempts from before it was given up end', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  await first.renew()
  const second = createWorker(store, 'second', clock)
  await second.renew()
  first.keepBusy()
  await first.renew()
  const [given = -1] = first.left
  first.lose()
  await second.end()
  for (const end of first.running.slice(1)) end()
  await settle()
  await first.renew()
  expect(first.list()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].filter((shard) => shard !== given))
  first.running[0]?.()
  await settle()
  await first.renew()
  expect(first.list().length).toBe(8)
})

test('a worker leaves shards whose epoch has changed, even if their owner has its name', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'w', clock)
  await first.renew()
  await store.endWorker('w')
  const second = createWorker(store, 'w', clock)
  await second.renew()
  await first.renew()
  expect(first.left.length).toBe(8)
})

test('a worker takes its share only, and gives up shards that the store assigns to it beyond that', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const { shards } = await store.renewWorker({ worker: 'first', leaseMs, now: 0 })
  const second = createWorker(store, 'second', clock)
  await second.renew()
  expect(second.list().length).toBe(4)
  const others = shards.filter(({ shard }) => !second.list().includes(shard))
  await store.endWorker('second')
  // Takes all shards, and then starts again without any knowledge of them.
  const view = await store.renewWorker({ worker: 'first', leaseMs, now: 0 })
  await store.takeShards({ worker: 'first', shards: view.shards, now: 0 })
  await store.renewWorker({ worker: 'third', leaseMs, now: 0 })
  const first = createWorker(store, 'first', clock)
  await first.renew()
  expect([first.list().length, others.length]).toEqual([4, 4])
  const third = createWorker(store, 'third', clock)
  await third.renew()
  expect(third.list().length).toBe(4)
})

test('a worker that has its share takes none of the shards that become free for another one', async () => {
  const store = memoryStore()
  const clock = { time: 0 }
  const first = createWorker(store, 'first', clock)
  const second = createWorker(store, 'second', clock)
  await store.renewWorker({ worker: 'second', leaseMs, now: 0 })
  await first.renew()
  await second.renew()
  await second.end()
  await store.renewWorker({ worker: 'third', leaseMs, now: 0 })
  await first.renew()
  expect(first.list().length).toBe(4)
})

test('a worker that has ended has no lease and no timer', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const worker = createWorker(memoryStore(), 'w', { time: 0 })
  await worker.renew()
  await worker.end()
  expect([worker.check(), worker.list(), vi.getTimerCount()]).toEqual([false, [], 0])
})

test('a worker that ends waits for a renewal under way, which would otherwise revive it afterwards', async () => {
  const base = memoryStore()
  const renewal = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    renewWorker: async (request) => {
      await renewal.promise
      return base.renewWorker(request)
    },
  }
  const clock = { time: 0 }
  const ending = createWorker(store, 'ending', clock)
  const renewing = ending.renew()
  const ended = ending.end()
  await settle()
  renewal.resolve()
  await Promise.all([renewing, ended])
  const other = createWorker(base, 'other', clock)
  await other.renew()
  expect((await base.renewWorker({ worker: 'other', leaseMs, now: 0 })).workers).toEqual(['other'])
  expect(other.list()).toHaveLength(8)
})
