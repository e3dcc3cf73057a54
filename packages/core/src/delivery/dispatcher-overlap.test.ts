import { expect, onTestFinished, test, vi } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { StorageUnavailableError } from '../errors/storage-errors.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'
import type { Dispatcher } from './dispatcher.ts'

const wabaNumber = '+15550100001'

/** Everything that starts or stops a dispatcher. */
const actions: Readonly<Record<string, (dispatcher: Dispatcher) => unknown>> = {
  start: ({ start }) => start(),
  stop: ({ stop }) => stop(),
  'stop at once': ({ stop }) => stop({ graceMs: 0 }),
  runDue: ({ runDue }) => runDue(),
}

const names = Object.keys(actions)
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const))

test.each(pairs)('%s and %s may overlap: nothing is lost, sent twice or left behind', async (...pair) => {
  const base = memoryStore()
  let listeners = 0
  const store: Store = {
    ...base,
    listen: (listener) => {
      listeners++
      const stop = base.listen(listener)
      return () => {
        listeners--
        stop()
      }
    },
  }
  const sent: string[] = []
  const { dispatcher, ...server } = createReferenceServer({
    store,
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    fetch: async (_, { body }) => {
      sent.push(JSON.parse(body).groupId)
      return new Response()
    },
  })
  await server.ready()
  const url = 'https://receiver.example/'
  await server.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url })
  const create = (groupId: string) => server.groups.create('acme', { wabaNumber, subject: 'Team', groupId })
  const act = (name: string) => actions[name]?.(dispatcher)

  for (const isStarted of [false, true]) {
    if (isStarted) dispatcher.start()
    const group = `${isStarted}`
    await Promise.all([create(`${group}-before`), act(pair[0]), act(pair[1]), create(`${group}-during`)])
    dispatcher.start()
    await create(`${group}-after`)
    await expect.poll(() => sent.filter((id) => id.startsWith(group)).length).toBe(3)
    await dispatcher.stop()
  }

  expect(sent.toSorted()).toEqual([...new Set(sent)].toSorted())
  expect(listeners).toBe(0)
})

test('a dispatcher that was stopped and started twenty times at once renews its lease as often as before', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const base = memoryStore()
  let renewals = 0
  const renewWorker: Store['renewWorker'] = (worker) => {
    renewals++
    return base.renewWorker(worker)
  }
  const { dispatcher } = createReferenceServer({ store: { ...base, renewWorker } })
  const countRenewals = async (): Promise<number> => {
    await vi.advanceTimersByTimeAsync(5_000)
    renewals = 0
    await vi.advanceTimersByTimeAsync(60_000)
    return renewals
  }
  dispatcher.start()
  const before = await countRenewals()
  const stops: Promise<void>[] = []
  for (let round = 0; round < 20; round++) {
    stops.push(dispatcher.stop())
    dispatcher.start()
  }
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(stops)
  expect(Math.abs((await countRenewals()) - before)).toBeLessThanOrEqual(1)
  const stopped = dispatcher.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  await stopped
})

test.each([20_000, 60_000])(
  'a result is written again for the lease of %i ms while the store is away',
  async (leaseMs) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const base = memoryStore()
    const startedAt = performance.now()
    let lastTryMs = 0
    const settleDeliveries: Store['settleDeliveries'] = async () => {
      lastTryMs = performance.now() - startedAt
      throw new StorageUnavailableError('The store is away.')
    }
    const server = createReferenceServer({
      store: { ...base, settleDeliveries },
      organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
      fetch: async () => new Response(),
      delivery: { leaseMs },
      onError: () => {},
    })
    await server.ready()
    const url = 'https://receiver.example/'
    await server.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url })
    await server.groups.create('acme', { wabaNumber, subject: 'Team' })
    const ran = server.dispatcher.runDue().catch(() => {})
    await vi.advanceTimersByTimeAsync(200_000)
    await ran

    expect(lastTryMs).toBeGreaterThan(leaseMs - 5_000)
    expect(lastTryMs).toBeLessThan(leaseMs + 5_000)
  },
)
