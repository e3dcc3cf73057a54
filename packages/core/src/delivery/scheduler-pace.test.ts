import { expect, onTestFinished, test, vi } from 'vitest'
import { createScenario } from '../../test/scheduler-scenario.ts'
import { defer, delivered, exhausted, retry } from '../../test/store-cases/deliveries.ts'
import { buildSubscription, start } from '../../test/store-cases/records.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'

// The number of attempts that a subscription gets depends on its pace and its limit.

test('an endpoint is still failing if its failure could not be written yet and nothing else was pending', async () => {
  const { attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(2)
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  // Less than a second has passed since the last write.
  attempts[0]?.end(exhausted)
  await wait()
  await publish(5)
  await wait()
  expect(attempts.length).toBe(1)
})

test('an endpoint whose deliveries are sent again is not new again', async () => {
  const { store, attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(1, 'first')
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  await publish(3)
  await wait()
  expect(attempts.length).toBe(3)
  await store.resendDeliveries({ organizationId: 'acme', now: start, limit: 10, webhookIdSuffix: null })
  await wait()
  expect(attempts.length).toBe(4)
})

test('an endpoint that succeeded after a change is not new again if its deliveries are sent again', async () => {
  const { store, clock, attempts, publish, wait } = await createScenario({ sharesFairly: true })
  await publish(2)
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  attempts[0]?.end(defer(600_000))
  await wait()
  clock.time += 100
  await store.saveSubscription(
    buildSubscription({ id: 'sub_0', url: 'https://elsewhere.example/', revision: 2 }),
  )
  await publish(1, 'third')
  await wait()
  attempts[0]?.end(delivered)
  await wait()
  // Its pace is not written yet, so the change has the earlier one.
  await store.resendDeliveries({ organizationId: 'acme', now: clock.time, limit: 10, webhookIdSuffix: null })
  await publish(1, 'fourth')
  await wait()
  expect(attempts.length).toBe(4)
})

test('an endpoint that fails while its deliveries wait for a slot waits with the failing ones', async () => {
  const base = memoryStore()
  let loads = 0
  const store: Store = {
    ...base,
    loadDeliveries: (keys) => {
      loads++
      return base.loadDeliveries(keys)
    },
  }
  const { attempts, publish, wait } = await createScenario({
    store,
    sharesFairly: true,
    subscriptions: 2,
    concurrency: 1,
  })
  await publish(1)
  await wait()
  for (const { end } of [...attempts]) end(delivered)
  await wait()
  await publish(8)
  await wait()
  expect(attempts.length).toBe(1)
  const failing = attempts[0]?.job.attempted.subscription.id
  attempts[0]?.end(retry(600_000))
  await wait()
  const list = () => attempts.map(({ job }) => job.attempted.subscription.id)
  expect([list().filter((id) => id === failing).length, list().length]).toEqual([1, 2])
  loads = 0
  for (let round = 0; round < 5; round++) {
    attempts.find(({ job }) => job.attempted.subscription.id !== failing)?.end(delivered)
    await wait()
    expect([list().filter((id) => id === failing).length, list().length]).toEqual([1, 2])
  }
  expect(loads).toBe(5)
})

test('attempts to failing endpoints start more slowly than attempts to new ones', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { clock, attempts, publish, wait } = await createScenario({ sharesFairly: true, subscriptions: 12 })
  const failed = new Set<string>()
  const starts = { new: [] as number[], failing: [] as number[] }
  await publish(2)
  for (let passed = 0; passed < 300; passed++) {
    await wait()
    for (const { job, at, end } of [...attempts]) {
      const { id } = job.attempted.subscription
      starts[failed.has(id) ? 'failing' : 'new'].push(at)
      failed.add(id)
      end(retry(600_000))
    }
    await wait()
    clock.time++
    await vi.advanceTimersByTimeAsync(1)
  }
  expect([starts.new.length, starts.failing.length]).toEqual([12, 12])
  // After a first burst, 400 start per second, and 50 to failing ones.
  expect(Math.max(...starts.new)).toBeLessThanOrEqual(30)
  expect(Math.max(...starts.failing)).toBeGreaterThanOrEqual(150)
})

test('a subscription with a limit gets its next attempt in time, even if the earlier ones are still running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { clock, attempts, publish, wait } = await createScenario({ maxAttemptsPerSecond: 5 })
  await publish(20)
  for (let passed = 0; passed < 990; passed++) {
    await wait()
    clock.time++
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(attempts.length).toBe(5)
})

test('a limit that was removed no longer delays attempts, even if its removal was not reported', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const base = memoryStore()
  let isSilent = false
  const store: Store = {
    ...base,
    listen: (listener) => base.listen((change) => isSilent || listener(change)),
    loadDeliveries: async (keys) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      return base.loadDeliveries(keys)
    },
  }
  const { clock, attempts, publish, wait } = await createScenario({ store, maxAttemptsPerSecond: 1 })
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed++) {
      await wait()
      clock.time++
      await vi.advanceTimersByTimeAsync(1)
    }
    await wait()
  }
  await publish(8)
  await pass(500)
  expect(attempts.length).toBe(1)
  isSilent = true
  await store.saveSubscription(buildSubscription({ id: 'sub_0', revision: 2, maxAttemptsPerSecond: null }))
  // The next attempt finds that there is no limit.
  await pass(550)
  expect(attempts.length).toBe(8)
})
