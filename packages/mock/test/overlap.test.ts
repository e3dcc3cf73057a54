import { setImmediate } from 'node:timers/promises'
import { createMock, type Mock } from '@wabakit/mock'
import { expect, onTestFinished, test, vi } from 'vitest'

/** Creates a mock whose endpoint holds every response until `respond` is called. */
const createSlow = async () => {
  const mock = await createMock()
  onTestFinished(mock.close)
  const { promise, resolve: respond } = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const received: string[] = []
  const handle = async (request: Request): Promise<Response> => {
    received.push(JSON.parse(await request.text()).event)
    started.resolve()
    await promise
    return new Response()
  }
  mock.deliverTo({ handle })
  return { mock, received, started: started.promise, respond }
}

test.each(['reset', 'close'] as const)(
  'a %s during an advance ends it, and an endpoint gets no repetition of what it still handles',
  async (end) => {
    const { mock, received, started, respond } = await createSlow()
    mock.faults.deliveries.duplicate('CALL_ENDED')
    await mock.trigger('CALL_ENDED')
    const advanced = mock.clock.advance('1h').catch(() => {})
    await started
    await mock[end]()
    await advanced
    const before = received.length
    respond()
    for (let turn = 0; turn < 20; turn++) await setImmediate()

    expect(received.length).toBe(before)
  },
)

test('a close while another is under way is the same close, and warns once', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const { mock, started, respond } = await createSlow()
  mock.faults.next('groups.create', { status: 503 })
  await mock.trigger('CALL_ENDED')
  const advanced = mock.clock.advance(0).catch(() => {})
  await started
  await Promise.all([mock.close(), mock.close(), mock[Symbol.asyncDispose]()])
  respond()
  await advanced

  expect(warn).toHaveBeenCalledOnce()
})

test('two closes of a mock on a port resolve once it listens no more', async () => {
  const mock = await createMock({ port: 0 })
  await Promise.all([mock.close(), mock.close()])
  await mock.close()

  await expect(fetch(mock.url)).rejects.toThrow()
})

test('what runs after a close rejects with the reason, even if it began before', async () => {
  const { mock, started, respond } = await createSlow()
  await mock.trigger('CALL_ENDED')
  const advanced = mock.clock.advance('1h').catch(() => {})
  await started
  const closed = mock.close()

  for (const run of [
    () => mock.clock.advance('1s'),
    () => mock.trigger('CALL_ENDED'),
    () => mock.simulateCall(),
    () => mock.subscribe({ url: 'https://receiver.example/' }),
    async () => mock.reset(),
  ]) {
    await expect(run()).rejects.toThrow(/this mock is closed/)
  }
  await closed
  respond()
  await advanced
})

test('advances and a reset that overlap leave a clock that advances', async () => {
  await using mock = await createMock()
  const received: string[] = []
  mock.deliverTo({
    handle: async (request) => {
      received.push(JSON.parse(await request.text()).event)
      return new Response()
    },
  })
  const startedAt = mock.clock.now()
  const advances = [mock.clock.advance('1m'), mock.clock.advance('1m')]
  mock.reset()
  await Promise.all(advances)
  mock.deliverTo({
    handle: async (request) => {
      received.push(JSON.parse(await request.text()).event)
      return new Response()
    },
  })
  await Promise.all([mock.trigger('CALL_ENDED'), mock.clock.advance('1m')])
  await mock.clock.advance('1m')

  expect(mock.clock.now() - startedAt).toBe(120_000)
  expect(received).toEqual(['CALL_ENDED'])
})

test('tenants never share the id of a call or a delivery, although their clocks show the same time', async () => {
  await using mock = await createMock()
  const tenants = [mock, mock.tenant(), mock.tenant()]
  const ids: string[] = []
  for (const tenant of tenants) {
    ids.push((await tenant.simulateCall()).callId)
    await tenant.clock.advance(0)
    ids.push(...tenant.deliveries.map(({ id }) => id))
  }

  expect(ids.length).toBeGreaterThan(6)
  expect(new Set(ids).size).toBe(ids.length)
})

const operations: Readonly<Record<string, (mock: Mock) => Promise<unknown>>> = {
  'an advance': (mock) => mock.clock.advance('1h'),
  'an event': (mock) => mock.trigger('CALL_ENDED'),
  'a simulated call': (mock) => mock.simulateCall({ summary: { after: '10m' } }),
  'a subscription': (mock) => mock.subscribe({ url: 'https://other.example/' }),
  'a wait': (mock) => mock.waitForDelivery('CALL_AI_SUMMARY', {}, { timeoutMs: 1 }),
  'a reset': async (mock) => mock.reset(),
  'a close': (mock) => mock.close(),
}

const pairs = Object.keys(operations).flatMap((first) =>
  Object.keys(operations).map((second) => [first, second] as const),
)

test.each(pairs)(
  '%s and %s may overlap: both end, and later ones work or say that it is closed',
  async (...pair) => {
    await using mock = await createMock()
    const received: Request[] = []
    mock.deliverTo({
      handle: async (request) => {
        received.push(request)
        await setImmediate()
        return new Response()
      },
    })
    await mock.trigger('CALL_ENDED')
    // Some end with an error, such as those that run while the mock is closed.
    await Promise.allSettled(pair.map((name) => operations[name]?.(mock)))
    if (pair.includes('a close')) {
      await expect(mock.trigger('CALL_MISSED')).rejects.toThrow(/this mock is closed/)
      return
    }
    mock.reset()
    received.length = 0
    await mock.trigger('CALL_MISSED')
    await mock.clock.advance('1h')

    const bodies = await Promise.all(received.map((request) => request.text()))
    expect(bodies).toEqual([expect.stringContaining('CALL_MISSED')])
  },
)
