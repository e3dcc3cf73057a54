import { expect, test } from 'vitest'
import { createWorld } from '../../test/scheduler-world.ts'
import { delivered } from '../../test/store-cases/deliveries.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'

// A drain ends when nothing is due, and not before.

type World = Awaited<ReturnType<typeof createWorld>>

/** Starts a drain. The result tells whether it has ended. */
const startDrain = ({ scheduler }: World) => {
  const drain = { isOver: false, error: undefined as unknown }
  scheduler.drain().then(
    () => {
      drain.isOver = true
    },
    (error: unknown) => {
      drain.error = error
    },
  )
  return drain
}

test('a drain waits for deliveries whose page is being read', async () => {
  const base = memoryStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    readHeads: async (query) => {
      await slowPage
      return base.readHeads(query)
    },
  }
  const world = await createWorld({ store, isOpen: false })
  await world.publish(1)
  world.open()
  await world.wait()
  const drain = startDrain(world)
  await world.wait()
  expect([drain.isOver, world.attempts.length]).toEqual([false, 0])
  endSlowPage()
  await world.wait()
  expect([drain.isOver, world.attempts.length]).toEqual([false, 1])
  world.attempts[0]?.end(delivered)
  await world.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain waits for a sweep that finds deliveries', async () => {
  const base = memoryStore()
  const { promise: slowSweep, resolve: endSlowSweep } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    listen: () => () => {},
    readQueues: async (query) => {
      if (query.since !== undefined) await slowSweep
      return base.readQueues(query)
    },
  }
  const world = await createWorld({ store })
  await world.publish(1)
  const drain = startDrain(world)
  await world.wait()
  expect(drain.isOver).toBe(false)
  endSlowSweep()
  await world.wait()
  expect([drain.isOver, world.attempts.length]).toEqual([false, 1])
  world.attempts[0]?.end(delivered)
  await world.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain of an empty store ends when the store has answered', async () => {
  const base = memoryStore()
  const { promise: slowPage, resolve: endSlowPage } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    readQueues: async (query) => {
      await slowPage
      return base.readQueues(query)
    },
  }
  const world = await createWorld({ store })
  const drain = startDrain(world)
  await world.wait()
  expect(drain.isOver).toBe(false)
  endSlowPage()
  await world.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain ends if other workers own all shards', async () => {
  const world = await createWorld({ isOpen: false })
  world.scheduler.open()
  await world.wait()
  const drain = startDrain(world)
  await world.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain starts deliveries that wait for the limit of their subscription', async () => {
  const world = await createWorld({ maxAttemptsPerSecond: 1 })
  await world.publish(3)
  await world.wait()
  world.attempts[0]?.end(delivered)
  await world.wait()
  await world.scheduler.sweep()
  await world.wait()
  expect(world.attempts.length).toBe(0)
  const drain = startDrain(world)
  await world.wait()
  expect([drain.isOver, world.attempts.length]).toEqual([false, 2])
  for (const { end } of [...world.attempts]) end(delivered)
  await world.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain rejects with the error of a read, which is not reported again', async () => {
  const base = memoryStore()
  let failures = 1
  const store: Store = {
    ...base,
    loadDeliveries: (keys) =>
      failures-- > 0 ? Promise.reject(new Error('away')) : base.loadDeliveries(keys),
  }
  const world = await createWorld({ store, isOpen: false })
  await world.publish(1)
  world.open()
  const drain = startDrain(world)
  await world.wait()
  expect([String(drain.error), world.errors]).toEqual(['Error: away', []])
})
