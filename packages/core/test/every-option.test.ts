import {
  createReferenceServer,
  type DeliveryOptions,
  memoryStore,
  type ReferenceServerOptions,
  type Store,
} from '@wabakit/core'
import { onTestFinished, vi } from 'vitest'
import { testOptions } from '../../../tools/option-cases.ts'
import { seeded } from './suite/scenario.ts'

const wabaNumber = '+15550100001'
const key = 'wk_own_0123456789'
const acme = { id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key }] } as const

/** Creates a server with a subscription, whose endpoint responds with 200 unless the options say otherwise. */
const open = async (options: ReferenceServerOptions = {}) => {
  const sent: Headers[] = []
  const server = createReferenceServer({
    organizations: [acme],
    fetch: async (_, { headers }) => {
      sent.push(new Headers(headers))
      return new Response()
    },
    ...options,
  })
  await server.ready()
  const { id } = await server.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: wabaNumber,
    url: 'https://receiver.example/',
  })
  const createGroup = (subject = 'Team') => server.groups.create('acme', { wabaNumber, subject })
  return { server, sent, createGroup, subscriptionId: id }
}

const post = (headers: Record<string, string>): Request =>
  new Request('http://localhost/whatsapp/wa-group/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ wabaNumber, subject: 'Team' }),
  })

const setFakeTimers = (): void => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

const ownStore = memoryStore()
const failures: unknown[] = []

testOptions<ReferenceServerOptions>('createReferenceServer()', {
  organizations: {
    see: async (options) => {
      const server = createReferenceServer(options)
      await server.ready()
      return (await server.organizations.find('acme'))?.id
    },
    cases: [
      [{}, undefined],
      [{ organizations: [acme] }, 'acme'],
    ],
  },
  store: {
    see: async (options) => {
      await open(options)
      return (await ownStore.findOrganization('acme'))?.id
    },
    cases: [
      [{}, undefined],
      [{ store: ownStore }, 'acme'],
    ],
  },
  clock: {
    see: async (options) => {
      const { server, createGroup } = await open(options)
      await createGroup()
      const { items } = await server.groups.list('acme')
      return items.map(({ createdAt }) => new Date(createdAt).getUTCFullYear())
    },
    cases: [
      [{}, [new Date().getUTCFullYear()]],
      [{ clock: { now: () => Date.UTC(2010, 5) } }, [2010]],
    ],
  },
  random: {
    /** Whether the parts of an id that are not its time or a counter are 0. */
    see: async (options) => {
      const { server, createGroup } = await open({ clock: { now: () => 0 }, ...options })
      await createGroup()
      const [event] = (await server.events.list('acme')).items
      return event?.id.startsWith('evt_000000000000000000')
    },
    cases: [
      [{}, false],
      [{ random: () => 0 }, true],
    ],
  },
  ids: {
    see: async (options) => {
      const { server, createGroup } = await open(options)
      await createGroup()
      return (await server.events.list('acme')).items[0]?.id.includes('own')
    },
    cases: [
      [{}, false],
      [{ ids: (prefix) => `${prefix}_own${crypto.randomUUID()}` }, true],
    ],
  },
  fetch: {
    see: async (options) => {
      const sent: string[] = []
      const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
        sent.push('global')
        return new Response()
      })
      onTestFinished(() => spy.mockRestore())
      const { server, createGroup } = await open({ fetch: undefined, ...options })
      await createGroup()
      await server.dispatcher.runDue()
      return sent
    },
    cases: [
      [{}, ['global']],
      [{ fetch: async () => new Response() }, []],
    ],
  },
  delivery: {
    see: async (options) => {
      const { server, sent, createGroup } = await open(options)
      await createGroup()
      await server.dispatcher.runDue()
      return sent[0]?.get('webhook-timestamp') === '0'
    },
    cases: [
      [{}, false],
      [{ delivery: { signatureClock: { now: () => 0 } } }, true],
    ],
  },
  auth: {
    see: async (options) => {
      const { server } = await open(options)
      const statuses: number[] = []
      for (const name of ['authorization', 'x-public-api-key', 'x-own'])
        statuses.push((await server.fetch(post({ [name]: key }))).status)
      return statuses
    },
    cases: [
      [{}, [200, 200, 401]],
      [{ auth: { header: 'x-own' } }, [401, 401, 200]],
    ],
  },
  rateLimit: {
    /** The number of requests that are not limited: of 700 with a key, and of 100 without one from an address. */
    see: async (options) => {
      const { server } = await open({ clock: { now: () => 0 }, ...options })
      const count = async (most: number, headers: Record<string, string>) => {
        for (let number = 0; number < most; number++) {
          const { status } = await server.fetch(post(headers), { remoteAddress: '192.0.2.1' })
          if (status === 429) return number
        }
        return most
      }
      return [await count(700, { authorization: key }), await count(100, { authorization: 'wrong' })]
    },
    cases: [
      [{}, [300, 60]],
      [{ rateLimit: false }, [700, 100]],
      [{ rateLimit: { key: false } }, [600, 60]],
      [{ rateLimit: { key: { requests: 2, perMs: 60_000 }, ip: { requests: 3, perMs: 60_000 } } }, [2, 3]],
    ],
  },
  allowLoopbackHttp: {
    see: async (options) => {
      const { server } = await open(options)
      const url = 'http://127.0.0.1:3000/'
      return server.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url }).then(
        () => 'created',
        ({ name }) => name,
      )
    },
    cases: [
      [{}, 'InputError'],
      [{ allowLoopbackHttp: true }, 'created'],
    ],
  },
  onError: {
    see: async (options) => {
      const print = vi.spyOn(console, 'error').mockImplementation(() => {})
      onTestFinished(() => print.mockRestore())
      failures.length = 0
      const { server, createGroup } = await open(options)
      server.on('*', () => {
        throw new Error('a listener failed')
      })
      await createGroup()
      return [print.mock.calls.length, failures.length]
    },
    cases: [
      [{}, [1, 0]],
      [{ onError: (error) => failures.push(error) }, [0, 1]],
    ],
  },
})

/** Returns the maximum number of concurrent attempts to an endpoint that does not respond. */
const countConcurrent = async (delivery: DeliveryOptions): Promise<number> => {
  setFakeTimers()
  let running = 0
  const { server, createGroup } = await open({
    delivery,
    fetch: () => {
      running += 1
      return new Promise(() => {})
    },
  })
  for (let number = 0; number < 100; number++) await createGroup()
  server.dispatcher.start()
  await vi.advanceTimersByTimeAsync(400)
  const stopped = server.dispatcher.stop({ graceMs: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  await stopped
  vi.useRealTimers()
  return running
}

/** Returns what a started dispatcher asks its store for in a minute. */
const watchStore = async (delivery: DeliveryOptions) => {
  setFakeTimers()
  const calls: { readonly name: string; readonly leaseMs?: number }[] = []
  const store: Store = new Proxy(memoryStore(), {
    get: (target, name, receiver) => {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        calls.push({ name: String(name), ...Object(given[0]) })
        return Reflect.apply(value, target, given)
      }
    },
  })
  const { server } = await open({ store, delivery })
  server.dispatcher.start()
  await vi.advanceTimersByTimeAsync(1_000)
  calls.length = 0
  await vi.advanceTimersByTimeAsync(60_000)
  const stopped = server.dispatcher.stop({ graceMs: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  await stopped
  vi.useRealTimers()
  const counts = Map.groupBy(calls, ({ name }) => name)
  return { most: Math.max(...Array.from(counts.values(), ({ length }) => length)), calls }
}

testOptions<DeliveryOptions>('delivery', {
  timeoutMs: {
    see: async (delivery) => {
      setFakeTimers()
      const { server, createGroup } = await open({ delivery, fetch: () => new Promise(() => {}) })
      await createGroup()
      const ran = server.dispatcher.runDue()
      await vi.advanceTimersByTimeAsync(60_000)
      await ran
      vi.useRealTimers()
      const [found] = (await server.deliveries.list('acme')).items
      const [attempt] = await server.deliveries.attempts('acme', found?.id ?? '')
      return attempt?.durationMs
    },
    cases: [
      [{}, 15_000],
      [{ timeoutMs: 700 }, 700],
    ],
  },
  concurrency: {
    see: (delivery) => countConcurrent({ sharesFairly: false, perSubscription: 1_000, ...delivery }),
    cases: [
      [{}, 64],
      [{ concurrency: 5 }, 5],
    ],
  },
  perSubscription: {
    see: (delivery) => countConcurrent({ sharesFairly: false, ...delivery }),
    cases: [
      [{}, 8],
      [{ perSubscription: 3 }, 3],
    ],
  },
  sharesFairly: {
    see: countConcurrent,
    cases: [
      [{}, 1],
      [{ sharesFairly: false }, 8],
    ],
  },
  leaseMs: {
    see: async (delivery) => (await watchStore(delivery)).calls.find(({ leaseMs }) => leaseMs)?.leaseMs,
    cases: [
      [{}, 20_000],
      [{ leaseMs: 5_000 }, 5_000],
    ],
  },
  pollMs: {
    /** The number of polls in a minute. */
    see: async (delivery) => (await watchStore(delivery)).most,
    cases: [
      [{}, 60],
      [{ pollMs: 500 }, 120],
      [{ pollMs: 10_000, leaseMs: 120_000 }, 6],
    ],
  },
  allowsCustomPayload: {
    see: async (delivery) => {
      const { server, sent } = await open({ delivery })
      const event = {
        name: 'CALL_ENDED',
        subject: 'call:c',
        channel: 'WHATSAPP',
        number: wabaNumber,
        payload: '{}',
      } as const
      await server.events.publish('acme', event, { hasCustomPayload: true })
      await server.dispatcher.runDue()
      return sent.length
    },
    cases: [
      [{}, 1],
      [{ allowsCustomPayload: () => false }, 0],
    ],
  },
  signatureClock: {
    see: async (delivery) => {
      const { server, sent, createGroup } = await open({ delivery })
      await createGroup()
      await server.dispatcher.runDue()
      return new Date(Number(sent[0]?.get('webhook-timestamp')) * 1_000).getUTCFullYear()
    },
    cases: [
      [{}, new Date().getUTCFullYear()],
      [{ signatureClock: { now: () => Date.UTC(2010, 5) } }, 2010],
    ],
  },
  random: {
    /** Returns whether the pause before the second attempt has no random part. */
    see: async (delivery) => {
      const { server, createGroup } = await open({
        delivery,
        clock: { now: () => 0 },
        random: seeded(7),
        fetch: async () => new Response(null, { status: 500 }),
      })
      await createGroup()
      await server.dispatcher.runDue()
      const pauseMs = await server.dispatcher.nextDueAt()
      return pauseMs !== undefined && pauseMs % 1_000 === 0
    },
    cases: [
      [{}, false],
      [{ random: () => 0 }, true],
    ],
  },
})
