import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'

const number = '+15550100001'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Setup = { readonly store?: Store; readonly statuses?: number[] }

/** Starts a server with one subscription, whose endpoint responds with these statuses, and then with 200. */
const setUp = async ({ store = memoryStore(), statuses = [] }: Setup = {}) => {
  const errors: unknown[] = []
  const server = createReferenceServer({
    store,
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: number }] }],
    fetch: async () => new Response('', { status: statuses.shift() ?? 200 }),
    onError: (error) => errors.push(error),
  })
  const { id } = await server.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number,
    url: 'https://receiver.example/hook',
  })
  const deliver = async (groupId: string): Promise<void> => {
    await server.groups.create('acme', { wabaNumber: number, subject: 'Launch', groupId })
    await server.dispatcher.runDue()
  }
  const read = async (subscriptionId: string) => {
    const records = await server.figures.list('acme', { subscriptionIds: [subscriptionId], from: 0 })
    return records.map(({ counts }) => counts)
  }
  return { server, id, errors, deliver, read }
}

test('counts events and settled attempts by result, cause and duration, every ten seconds', async () => {
  const { server, id, deliver, read } = await setUp({ statuses: [200, 500, 410] })
  server.figures.start()
  for (const groupId of ['g1', 'g2', 'g3']) await deliver(groupId)
  expect(await read(id)).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  const attempts = {
    ...{ delivered: 1, failed: 2, 'cause:server_error': 1, 'cause:gone': 1, 'ms:5': 3 },
    disabled: 1,
  }
  expect(await read(id)).toEqual([attempts])
  expect(await read('')).toEqual([{ events: 3, ...attempts }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await read(id)).toEqual([attempts])
  await server.figures.stop()
})

test('counts rotations of the secret, and how often the subscription was disabled, by hand or after a 410', async () => {
  const { server, id, deliver, read } = await setUp({ statuses: [410] })
  server.figures.start()
  await server.subscriptions.rotateSecret('acme', id)
  await server.subscriptions.update('acme', id, { url: 'https://receiver.example/other' })
  for (const enabled of [false, false, true]) await server.subscriptions.update('acme', id, { enabled })
  await deliver('g1')
  await server.figures.stop()
  expect(await read(id)).toEqual([{ rotated: 1, disabled: 2, failed: 1, 'cause:gone': 1, 'ms:5': 1 }])
  expect(await read('')).toEqual([expect.objectContaining({ events: 1, rotated: 1, disabled: 2 })])
})

test('counts simulated events too, also those for one subscription', async () => {
  const { server, id, read } = await setUp()
  server.figures.start()
  const event = {
    name: 'CALL_ENDED',
    subject: 'call:c1',
    channel: 'WHATSAPP',
    number,
    payload: '{}',
  } as const
  await server.events.publish('acme', event)
  await server.events.publish('acme', event, { subscriptionId: id })
  await server.figures.stop()
  expect(await read('')).toEqual([{ events: 2 }])
})

test('counts nothing before it is started, and writes the last counts when it is stopped', async () => {
  const { server, id, deliver, read } = await setUp()
  await deliver('g1')
  server.figures.start()
  await deliver('g2')
  await server.figures.stop()
  await deliver('g3')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await read(id)).toEqual([{ delivered: 1, 'ms:5': 1 }])
})

test('keeps counts while the store is unavailable, and drops those that may have been written', async () => {
  const store = memoryStore()
  const failures: Error[] = [new StorageUnavailableError('The store is away.')]
  const addFigures: Store['addFigures'] = async (figures) => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    await store.addFigures(figures)
  }
  const { server, id, errors, deliver, read } = await setUp({ store: { ...store, addFigures } })
  server.figures.start()
  await deliver('g1')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([await read(id), errors.length]).toEqual([[], 0])
  await deliver('g2')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await read(id)).toEqual([{ delivered: 2, 'ms:5': 2 }])
  failures.push(new StorageOutcomeUnknownError('The connection was lost.'))
  await deliver('g3')
  await vi.advanceTimersByTimeAsync(20_000)
  expect([(await read(id)).length, errors.length]).toEqual([1, 1])
  await server.figures.stop()
})

test('rolls up its records about once a minute, and loses no count', async () => {
  const { server, id, deliver, read } = await setUp()
  server.figures.start()
  for (let index = 0; index < 30; index++) {
    await deliver(`g${index}`)
    await vi.advanceTimersByTimeAsync(10_000)
  }
  const counts = await read(id)
  expect(counts.reduce((sum, { delivered = 0 }) => sum + delivered, 0)).toBe(30)
  expect(counts.length).toBeLessThan(25)
  await server.figures.stop()
})

test('counts nothing between a stop and the next start, and then each event and attempt once', async () => {
  const { server, id, deliver, read } = await setUp()
  for (const groupId of ['g1', 'g2', 'g3']) {
    server.figures.start()
    await deliver(groupId)
    await server.figures.stop()
    await deliver(`${groupId}, between`)
  }
  const sum = async (subscriptionId: string, name: string) =>
    (await read(subscriptionId)).reduce((total, counts) => total + (counts[name] ?? 0), 0)
  expect([await sum(id, 'delivered'), await sum('', 'events')]).toEqual([3, 3])
})

test('a stop waits for a write that has begun, because the store is closed next', async () => {
  const store = memoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const addFigures: Store['addFigures'] = async (figures) => {
    await promise
    await store.addFigures(figures)
  }
  const { server, id, deliver, read } = await setUp({ store: { ...store, addFigures } })
  server.figures.start()
  await deliver('g1')
  await vi.advanceTimersByTimeAsync(10_000)
  const stopped = server.figures.stop()
  let isStopped = false
  void stopped.then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(isStopped).toBe(false)
  resolve()
  await stopped
  expect(await read(id)).toEqual([{ delivered: 1, 'ms:5': 1 }])
})

test('a stop ends a roll-up of many records after its current batch', async () => {
  let batches = 0
  let stopped: Promise<void> | undefined
  const rollUpFigures: Store['rollUpFigures'] = async () => {
    batches += 1
    stopped ??= server.figures.stop()
    return batches < 100 ? 500 : 0
  }
  const { server } = await setUp({ store: { ...memoryStore(), rollUpFigures } })
  server.figures.start()
  await vi.advanceTimersByTimeAsync(60_000)
  await stopped
  expect(batches).toBe(1)
})
