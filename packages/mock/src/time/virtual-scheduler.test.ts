import { createReferenceServer, memoryStore } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createVirtualScheduler } from './virtual-scheduler.ts'

test('advance works after an advance that failed', async () => {
  const scheduler = createVirtualScheduler(0, () => {})
  const store = memoryStore()
  scheduler.start({ store, dispatcher: createReferenceServer({ store, clock: scheduler }).dispatcher })
  const ran: number[] = []
  const schedule = (at: number, run: () => void) =>
    scheduler.schedule({ at, description: 'a task', run: async () => run() })
  schedule(0, () => {
    throw new Error('failed')
  })
  schedule(10, () => ran.push(scheduler.now()))
  const failed = scheduler.advance(5)
  const next = scheduler.advance(20)
  await expect(failed).rejects.toThrow('failed')
  await next
  expect([ran, scheduler.now()]).toEqual([[10], 20])
})

test('tasks that are due at the same time run in the order in which they were scheduled', async () => {
  const scheduler = createVirtualScheduler(0, () => {})
  const store = memoryStore()
  scheduler.start({ store, dispatcher: createReferenceServer({ store, clock: scheduler }).dispatcher })
  const ran: string[] = []
  const schedule = (at: number, name: string) =>
    scheduler.schedule({ at, description: name, run: async () => void ran.push(name) })
  schedule(10, 'first')
  schedule(5, 'earlier')
  schedule(10, 'second')
  schedule(10, 'third')
  await scheduler.advance(10)
  expect(ran).toEqual(['earlier', 'first', 'second', 'third'])
})
