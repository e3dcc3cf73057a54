import { expect, test } from 'vitest'
import { createScenario } from '../../test/scheduler-scenario.ts'
import { delivered } from '../../test/store-cases/deliveries.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'

// A drain ends when nothing is due, and not before.

type Scenario = Awaited<ReturnType<typeof createScenario>>

/** Starts a drain. The result tells whether it has ended. */
const startDrain = ({ scheduler }: Scenario) => {
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
  const scenario = await createScenario({ store, isOpen: false })
  await scenario.publish(1)
  scenario.open()
  await scenario.wait()
  const drain = startDrain(scenario)
  await scenario.wait()
  expect([drain.isOver, scenario.attempts.length]).toEqual([false, 0])
  endSlowPage()
  await scenario.wait()
  expect([drain.isOver, scenario.attempts.length]).toEqual([false, 1])
  scenario.attempts[0]?.end(delivered)
  await scenario.wait()
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
  const scenario = await createScenario({ store })
  await scenario.publish(1)
  const drain = startDrain(scenario)
  await scenario.wait()
  expect(drain.isOver).toBe(false)
  endSlowSweep()
  await scenario.wait()
  expect([drain.isOver, scenario.attempts.length]).toEqual([false, 1])
  scenario.attempts[0]?.end(delivered)
  await scenario.wait()
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
  const scenario = await createScenario({ store })
  const drain = startDrain(scenario)
  await scenario.wait()
  expect(drain.isOver).toBe(false)
  endSlowPage()
  await scenario.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain ends if other workers own all shards', async () => {
  const scenario = await createScenario({ isOpen: false })
  scenario.scheduler.open()
  await scenario.wait()
  const drain = startDrain(scenario)
  await scenario.wait()
  expect(drain.isOver).toBe(true)
})

test('a drain starts deliveries that wait for the limit of their subscription', async () => {
  const scenario = await createScenario({ maxAttemptsPerSecond: 1 })
  await scenario.publish(3)
  await scenario.wait()
  scenario.attempts[0]?.end(delivered)
  await scenario.wait()
  await scenario.scheduler.sweep()
  await scenario.wait()
  expect(scenario.attempts.length).toBe(0)
  const drain = startDrain(scenario)
  await scenario.wait()
  expect([drain.isOver, scenario.attempts.length]).toEqual([false, 2])
  for (const { end } of [...scenario.attempts]) end(delivered)
  await scenario.wait()
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
  const scenario = await createScenario({ store, isOpen: false })
  await scenario.publish(1)
  scenario.open()
  const drain = startDrain(scenario)
  await scenario.wait()
  expect([String(drain.error), scenario.errors]).toEqual(['Error: away', []])
})
