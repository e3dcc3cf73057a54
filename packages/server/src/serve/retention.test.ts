import { createReferenceServer, memoryStore } from '@wabakit/core'
import { expect, test } from 'vitest'
import { parseConfig } from '../config/settings.ts'
import { startRetention } from './retention.ts'

const day = 86_400_000

test('removes finished deliveries, their events and groups after the retention, but nothing newer', async () => {
  const store = memoryStore()
  let now = Date.now() - 31 * day
  const service = createReferenceServer({
    store,
    clock: { now: () => now },
    fetch: async () => new Response(),
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }],
  })
  const number = '+15550100001'
  await service.subscriptions.create('acme', { channel: 'WHATSAPP', number, url: 'https://example.com/hook' })
  await service.groups.create('acme', { wabaNumber: number, subject: 'Old', groupId: 'old' })
  await service.dispatcher.runDue()
  now = Date.now()
  await service.groups.create('acme', { wabaNumber: number, subject: 'Young', groupId: 'young' })
  await service.dispatcher.runDue()

  const stop = startRetention({
    store,
    clock: { now: Date.now },
    keptMs: 30 * day,
    recordsKeptMs: 30 * day,
    onError: (error) => {
      throw error
    },
  })
  await stop()

  expect((await service.events.list('acme')).items).toMatchObject([{ subject: 'group:young' }])
  expect((await service.deliveries.list('acme')).items).toMatchObject([{ subject: 'group:young' }])
  expect(await service.groups.find('acme', 'old')).toBeUndefined()
  expect(await service.groups.find('acme', 'young')).toBeDefined()
})

test('pauses after each batch for longer than it took', async () => {
  const batchMs = 20
  const spans: { start: number; end: number }[] = []
  const errors: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = startRetention({
    store: {
      prune: async () => {
        const start = performance.now()
        await new Promise((done) => setTimeout(done, batchMs))
        spans.push({ start, end: performance.now() })
        if (spans.length === 3) resolve()
        return 1
      },
    },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: day,
    onError: (error) => errors.push(error),
  })
  await promise
  await stop()

  const [first, second, third] = spans
  expect(spans.length).toBe(3)
  expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThan(3 * batchMs)
  expect((third?.start ?? 0) - (second?.end ?? 0)).toBeGreaterThan(3 * batchMs)
  expect(errors).toEqual([])
})

test('reports a failure, and stops immediately during a pause', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const stop = startRetention({
    store: { prune: () => Promise.reject(new Error('away')) },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: day,
    onError: resolve,
  })
  expect(await promise).toEqual(new Error('away'))
  await stop()
})

test('keeps calls and groups forever unless a retention is set', async () => {
  const requests: unknown[] = []
  const stop = startRetention({
    store: {
      prune: async (request) => {
        requests.push(request)
        return 0
      },
    },
    clock: { now: () => 40 * day },
    keptMs: 30 * day,
    recordsKeptMs: parseConfig({}, () => '').recordRetentionDays,
    onError: () => {},
  })
  await stop()

  expect(requests).toEqual([{ before: 10 * day, recordsBefore: undefined, limit: 100 }])
})

test('waits for a minute after a failure, instead of trying again at once', async () => {
  const errors: unknown[] = []
  const stop = startRetention({
    store: { prune: () => Promise.reject(new Error('away')) },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: undefined,
    onError: (error) => errors.push(error),
  })
  await new Promise((done) => setTimeout(done, 100))
  await stop()
  expect(errors).toEqual([new Error('away')])
})
