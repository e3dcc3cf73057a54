import { expect, onTestFinished, test, vi } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { StorageUnavailableError } from '../errors/storage-errors.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { ReferenceServerOptions } from '../reference-server-options.ts'
import type { Pace, QueueChange, Store } from '../store.ts'

const wabaNumber = '+15550100001'

/** A server whose endpoint responds with a status, or not at all. */
const createServer = async (options: ReferenceServerOptions = {}) => {
  const sent: string[] = []
  const errors: unknown[] = []
  const endpoint = { status: 200, isSilent: false }
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    onError: (error) => errors.push(error),
    fetch: async (_, { body }) => {
      sent.push(body)
      return endpoint.isSilent ? new Promise(() => {}) : new Response(null, { status: endpoint.status })
    },
    ...options,
  })
  await server.ready()
  const subscribe = () =>
    server.subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: wabaNumber,
      url: 'https://receiver.example/',
    })
  const create = () => server.groups.create('acme', { wabaNumber, subject: 'Launch' })
  return { ...server, endpoint, sent, errors, subscribe, create }
}

/** A memory store that can be down when workers renew their leases, and can lose its session. */
const createControlledStore = () => {
  const base = memoryStore()
  const control = { isDown: false, lose: () => {}, leases: [] as number[] }
  const store: Store = {
    ...base,
    listen: (listener) => {
      control.lose = () => listener({ kind: 'lost' })
      return base.listen(listener)
    },
    renewWorker: async (renewal) => {
      if (control.isDown) throw new StorageUnavailableError('down')
      control.leases.push(renewal.leaseMs)
      return base.renewWorker(renewal)
    },
  }
  return { store, control }
}

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('after runDue, another process delivers from the same store', async () => {
  const store = memoryStore()
  const first = await createServer({ store })
  await first.subscribe()
  await first.create()
  await first.dispatcher.runDue()
  const second = await createServer({ store })
  await second.create()
  await second.dispatcher.runDue()
  expect([first.sent.length, second.sent.length]).toEqual([1, 1])
})

test('runDue delivers everything that is due, even if it takes longer than a lease', async () => {
  let now = Date.UTC(2026, 0, 1)
  const sent: string[] = []
  const { dispatcher, subscribe, create } = await createServer({
    clock: { now: () => now },
    fetch: async (_, { body }) => {
      sent.push(body)
      now += 60_000
      return new Response()
    },
  })
  await subscribe()
  for (let count = 0; count < 3; count++) await create()
  await dispatcher.runDue()
  expect(sent.length).toBe(3)
})

test('a dispatcher that was stopped has neither timers nor a listener for changes', async () => {
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
  const { dispatcher, subscribe, create, sent } = await createServer({ store })
  await subscribe()
  useFakeTimers()
  dispatcher.start()
  await create()
  await vi.waitFor(() => expect(sent.length).toBe(1))
  await dispatcher.runDue()
  await vi.advanceTimersByTimeAsync(2_000)
  expect([listeners, vi.getTimerCount() > 0]).toEqual([1, true])
  await dispatcher.stop()
  await vi.advanceTimersByTimeAsync(2_000)
  expect([listeners, vi.getTimerCount()]).toEqual([0, 0])
})

test('a store that fails when the dispatcher starts, or after it was lost, is reported, and tried again', async () => {
  const { store, control } = createControlledStore()
  const { dispatcher, subscribe, create, sent, errors } = await createServer({
    store,
    delivery: { pollMs: 5 },
  })
  control.isDown = true
  await subscribe()
  dispatcher.start()
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  control.isDown = false
  await create()
  await expect.poll(() => sent.length).toBe(1)
  control.isDown = true
  const before = errors.length
  control.lose()
  await expect.poll(() => errors.length).toBeGreaterThan(before)
  expect(errors.map(String)).toContain('StorageUnavailableError: down')
  control.isDown = false
  await create()
  await expect.poll(() => sent.length).toBe(2)
  await dispatcher.stop()
})

test('runDue on a dispatcher that is started waits for a store that failed at the start', async () => {
  const { store, control } = createControlledStore()
  const { dispatcher, subscribe, create, sent } = await createServer({ store, delivery: { pollMs: 5 } })
  control.isDown = true
  await subscribe()
  await create()
  dispatcher.start()
  await expect(dispatcher.runDue()).rejects.toThrow('down')
  control.isDown = false
  await dispatcher.runDue()
  expect(sent.length).toBe(1)
  await dispatcher.stop()
})

test('onHealth reports events about health until the listener is removed', async () => {
  const { dispatcher, subscribe, create, endpoint } = await createServer()
  const told: string[] = []
  const stop = dispatcher.onHealth(({ type }) => told.push(type))
  endpoint.status = 410
  for (const count of [1, 1]) {
    await subscribe()
    await create()
    await dispatcher.runDue()
    expect(told.length).toBe(count)
    stop()
  }
})

test.each([
  [
    'throws',
    () => {
      throw new Error('listener')
    },
  ],
  ['rejects', () => Promise.reject(new Error('listener'))],
])('a listener that %s is reported, and has no other effect', async (_, listener) => {
  const { dispatcher, subscribe, create, endpoint, errors } = await createServer()
  const heard: string[] = []
  dispatcher.onAttempt(listener)
  dispatcher.onHealth(listener)
  dispatcher.onAttempt(({ result }) => heard.push(result.kind))
  dispatcher.onHealth(({ type }) => heard.push(type))
  endpoint.status = 410
  await subscribe()
  await create()
  await dispatcher.runDue()
  expect(heard).toEqual(['gone', 'subscription.disabled'])
  expect(errors.map(String)).toEqual(['Error: listener', 'Error: listener'])
})

test('a complete response is recorded, even if the worker loses its shards at that moment', async () => {
  const base = memoryStore()
  let report = (_: QueueChange): void => {}
  const store: Store = {
    ...base,
    listen: (listener) => {
      report = listener
      return base.listen(listener)
    },
  }
  let isComplete = false
  const { dispatcher, deliveries, subscribe, create } = await createServer({
    store,
    clock: {
      now: () => {
        // The end of an attempt is the first time that is read after its response.
        if (isComplete) {
          isComplete = false
          report({ kind: 'lost' })
        }
        return Date.now()
      },
    },
    fetch: async () => {
      isComplete = true
      return new Response()
    },
  })
  await subscribe()
  await create()
  await dispatcher.runDue()
  expect((await deliveries.list('acme')).items).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('a worker that is lost while it stops asks for its usual lease, so that others can take over', async () => {
  const { store, control } = createControlledStore()
  const { dispatcher, subscribe, create, sent, endpoint } = await createServer({ store })
  endpoint.isSilent = true
  await subscribe()
  dispatcher.start()
  await create()
  await expect.poll(() => sent.length).toBe(1)
  const stopped = dispatcher.stop()
  const before = control.leases.length
  control.lose()
  await stopped
  expect(control.leases.length).toBe(before + 1)
  expect(new Set(control.leases)).toEqual(new Set([20_000]))
})

test('an endpoint is slow if its response takes longer than half a second', async () => {
  const base = memoryStore()
  const paces: Array<Pace | undefined> = []
  const store: Store = {
    ...base,
    settleDeliveries: (settlements) => {
      paces.push(...settlements.map(({ pace }) => pace))
      return base.settleDeliveries(settlements)
    },
  }
  let responseMs = 600
  const { dispatcher, subscribe, create } = await createServer({
    store,
    fetch: () => new Promise((resolve) => setTimeout(() => resolve(new Response()), responseMs)),
  })
  await subscribe()
  useFakeTimers()
  dispatcher.start()
  for (const [index, pace] of (['slow', 'quick'] as const).entries()) {
    await create()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(paces[index]).toBe(pace)
    responseMs = 400
  }
  await dispatcher.stop()
})

test('without fair sharing, a slow attempt keeps its slot', async () => {
  const { dispatcher, subscribe, create, endpoint, sent } = await createServer({
    delivery: { sharesFairly: false, concurrency: 1 },
  })
  await subscribe()
  endpoint.isSilent = true
  useFakeTimers()
  dispatcher.start()
  await create()
  await create()
  await vi.advanceTimersByTimeAsync(14_000)
  expect(sent.length).toBe(1)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(sent.length).toBe(2)
  await dispatcher.stop({ graceMs: 0 })
})

test('the next attempt starts while the outcome of the last one is being written', async () => {
  const base = memoryStore()
  const { promise: slowWrite, resolve: endSlowWrite } = Promise.withResolvers<void>()
  const store: Store = {
    ...base,
    settleDeliveries: async (settlements) => {
      await slowWrite
      return base.settleDeliveries(settlements)
    },
  }
  const { dispatcher, subscribe, create, sent } = await createServer({
    store,
    delivery: { sharesFairly: false, concurrency: 1 },
  })
  await subscribe()
  dispatcher.start()
  await create()
  await create()
  await expect.poll(() => sent.length).toBe(2)
  endSlowWrite()
  await dispatcher.stop()
})

test('a dispatcher stops in time, even if the store is down', async () => {
  const written = Promise.withResolvers<void>()
  const { dispatcher, subscribe, create } = await createServer({
    store: {
      ...memoryStore(),
      settleDeliveries: async () => {
        written.resolve()
        throw new StorageUnavailableError('down')
      },
    },
  })
  await subscribe()
  useFakeTimers()
  dispatcher.start()
  await create()
  await written.promise
  const onStopped = vi.fn()
  void dispatcher.stop({ graceMs: 500 }).then(onStopped)
  // A failed write is tried again after a second.
  await vi.advanceTimersByTimeAsync(2_000)
  expect(onStopped).toHaveBeenCalled()
})

test('a dispatcher that was stopped while the store was down writes with retries again once it is restarted', async () => {
  const base = memoryStore()
  let failures = 0
  const unavailable = () => new StorageUnavailableError('down', { retryAfterMs: 5 })
  const store: Store = {
    ...base,
    settleDeliveries: async (settlements) => {
      if (failures > 0) {
        failures--
        throw unavailable()
      }
      return base.settleDeliveries(settlements)
    },
  }
  const { dispatcher, subscribe, create, sent, deliveries } = await createServer({ store })
  await subscribe()
  failures = Number.POSITIVE_INFINITY
  dispatcher.start()
  await create()
  await expect.poll(() => sent.length).toBe(1)
  await dispatcher.stop({ graceMs: 30 })

  failures = 0
  dispatcher.start()
  await expect.poll(() => sent.length).toBe(2)
  await expect.poll(async () => (await deliveries.list('acme')).items[0]?.status).toBe('delivered')
  failures = 2
  await create()
  await expect
    .poll(async () => (await deliveries.list('acme')).items.map(({ status }) => status))
    .toEqual(['delivered', 'delivered'])
  expect(sent.length).toBe(3)
  await dispatcher.stop()
})

test.concurrent.for(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  'repeats an attempt that failed because of this machine (%s), and does not count it',
  async (code, { expect, onTestFinished }) => {
    const cause = Object.assign(new Error(`connect ${code} 192.0.2.1:443 - Local (undefined:undefined)`), {
      code,
    })
    let failures = 1
    const { dispatcher, subscriptions, create, deliveries, errors } = await createServer({
      fetch: async () => {
        if (failures-- > 0) throw new TypeError('fetch failed', { cause })
        return new Response()
      },
    })
    onTestFinished(() => dispatcher.stop({ graceMs: 0 }))
    // A header whose value is a word of the error does not hide the shortage.
    const { id } = await subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: wabaNumber,
      url: 'https://receiver.example/',
      headers: { 'x-env': 'undefined' },
    })
    await create()
    dispatcher.start()
    await expect
      .poll(() => dispatcher.findProblems().shortage)
      .toMatchObject({ message: expect.stringContaining(code) })
    const readAll = async () => (await deliveries.list('acme', { subscriptionId: id })).items
    await expect.poll(readAll).toMatchObject([{ status: 'delivered', attempts: 1 }])
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('ulimit -n') })])
    await expect.poll(() => dispatcher.findProblems().shortage).toBeUndefined()
  },
)
