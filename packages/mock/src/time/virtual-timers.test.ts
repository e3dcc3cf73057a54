import { createReferenceServer, memoryStore } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createVirtualTimers } from './virtual-timers.ts'

test('advance works after an advance that failed', async () => {
  const timers = createVirtualTimers(0)
  const store = memoryStore()
  timers.start({ store, dispatcher: createReferenceServer({ store, clock: timers }).dispatcher })
  const ran: number[] = []
  const schedule = (at: number, run: () => void) =>
    timers.schedule({ at, description: 'a task', run: async () => run() })
  schedule(0, () => {
    throw new Error('failed')
  })
  schedule(10, () => ran.push(timers.now()))
  const failed = timers.advance(5)
  const next = timers.advance(20)
  await expect(failed).rejects.toThrow('failed')
  await next
  expect([ran, timers.now()]).toEqual([[10], 20])
})

test('tasks that are due at the same time run in the order in which they were scheduled', async () => {
  const timers = createVirtualTimers(0)
  const store = memoryStore()
  timers.start({ store, dispatcher: createReferenceServer({ store, clock: timers }).dispatcher })
  const ran: string[] = []
  const schedule = (at: number, name: string) =>
    timers.schedule({ at, description: name, run: async () => void ran.push(name) })
  schedule(10, 'first')
  schedule(5, 'earlier')
  schedule(10, 'second')
  schedule(10, 'third')
  await timers.advance(10)
  expect(ran).toEqual(['earlier', 'first', 'second', 'third'])
})

test('timers that were stopped do not listen to their store any more', async () => {
  const store = memoryStore()
  let listeners = 0
  const listen: typeof store.listen = (listener) => {
    listeners += 1
    const stop = store.listen(listener)
    return () => {
      listeners -= 1
      stop()
    }
  }
  for (let round = 0; round < 20; round++) {
    const timers = createVirtualTimers(0)
    const { dispatcher } = createReferenceServer({ store, clock: timers })
    timers.start({ store: { ...store, listen }, dispatcher })
    await timers.stop()
  }
  expect(listeners).toBe(0)
})
