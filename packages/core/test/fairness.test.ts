import { createReferenceServer, type DeliveryFetch } from '@wabakit/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

type Target = { readonly organizationId: string; readonly number: string }
type Others = {
  readonly count: number
  /** The behavior of their endpoints. */
  readonly kind: 'hang' | 'slow'
  /** The organizations that they belong to. */
  readonly owner: 'one' | 'each' | 'healthy'
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const respond: Record<string, () => Promise<void>> = {
  '/hang': () => new Promise(() => {}),
  '/slow': () => after(14_000),
  '/healthy': () => after(20),
}

/** A server with a healthy endpoint, which measures the delay of each webhook, and other endpoints. */
const openWorld = async ({ count, kind, owner }: Others) => {
  const delays: number[] = []
  const concurrent = { now: 0, most: 0 }
  const fetch: DeliveryFetch = async (url, _request, { event }) => {
    const { pathname } = new URL(url)
    if (pathname === '/healthy') delays.push(Date.now() - event.occurredAt)
    concurrent.most = Math.max(concurrent.most, ++concurrent.now)
    try {
      await Promise.race([respond[pathname]?.(), after(15_000)])
    } finally {
      concurrent.now--
    }
    return new Response()
  }
  const server = createReferenceServer({ fetch, rateLimit: false, clock: { now: Date.now } })
  const subscribe = async (organizationId: string, paths: readonly string[]): Promise<Target[]> => {
    const numbers = paths.map((_, index) => `+${15_550_000_000 + index}`)
    const integrations = numbers.map((wabaNumber) => ({ wabaNumber }))
    await server.organizations.create({ id: organizationId, integrations })
    for (const [index, path] of paths.entries()) {
      const url = `https://receiver.example${path}`
      await server.subscriptions.create(organizationId, {
        channel: 'WHATSAPP',
        number: numbers[index] ?? '',
        url,
      })
    }
    return numbers.map((number) => ({ organizationId, number }))
  }
  const healthyPaths = Array.from({ length: 10 }, () => '/healthy')
  const otherPaths = Array.from({ length: count }, () => `/${kind}`)
  const healthy: Target[] = []
  const others: Target[] = []
  if (owner === 'healthy') {
    const all = await subscribe('both', [...otherPaths, ...healthyPaths])
    others.push(...all.slice(0, count))
    healthy.push(...all.slice(count))
  } else {
    healthy.push(...(await subscribe('healthy', healthyPaths)))
    const groups = owner === 'one' ? [otherPaths] : otherPaths.map((path) => [path])
    for (const [index, paths] of groups.entries()) others.push(...(await subscribe(`other_${index}`, paths)))
  }
  let published = 0
  const publish = ({ organizationId, number }: Target) =>
    server.events.publish(organizationId, {
      name: 'GROUP_CREATED',
      subject: `group:${published++}`,
      channel: 'WHATSAPP',
      number,
      payload: '{"event":"GROUP_CREATED"}',
    })
  return {
    server,
    concurrent,
    flood: async () => {
      for (let turn = 0; turn < 5; turn++) for (const target of others) await publish(target)
    },
    /** Publishes an event to a healthy endpoint every 20 ms. Returns the 99th percentile of the delays. */
    measure: async (events: number): Promise<number> => {
      delays.length = 0
      for (let index = 0; index < events; index++) {
        const target = healthy[index % healthy.length]
        if (target !== undefined) await publish(target)
        await vi.advanceTimersByTimeAsync(20)
      }
      await vi.advanceTimersByTimeAsync(1_000)
      expect(delays.length).toBe(events)
      return delays.toSorted((left, right) => left - right)[Math.floor(events * 0.99)] ?? Number.NaN
    },
  }
}

const cases: Readonly<Record<string, Others>> = {
  '300 new endpoints of one organization that never respond': { count: 300, kind: 'hang', owner: 'one' },
  '300 organizations with one endpoint each that never responds': { count: 300, kind: 'hang', owner: 'each' },
  '300 endpoints of one organization that respond with 200 after 14 s': {
    count: 300,
    kind: 'slow',
    owner: 'one',
  },
  '300 organizations with one endpoint each that responds with 200 after 14 s': {
    count: 300,
    kind: 'slow',
    owner: 'each',
  },
  '300 endpoints of the same organization that never respond': { count: 300, kind: 'hang', owner: 'healthy' },
}

describe('a healthy endpoint is not delayed', () => {
  test.each(Object.entries(cases))('by %s', async (_name, others) => {
    const { server, concurrent, flood, measure } = await openWorld(others)
    server.dispatcher.start()
    await flood()
    expect(await measure(100)).toBeLessThanOrEqual(1_000)
    // Even once attempts have timed out, webhooks arrive as soon as they would without the others: within 5 ms.
    for (let turn = 0; turn < 10; turn++) expect(await measure(50)).toBeLessThanOrEqual(5)
    expect(concurrent.most).toBeLessThanOrEqual(1_024 + 64)
    const stopped = server.dispatcher.stop({ graceMs: 0 })
    await vi.advanceTimersByTimeAsync(1_000)
    await stopped
  })

  test('by endpoints that were quick until now, except for the time that it takes to detect that they are slow', async () => {
    const { server, flood, measure } = await openWorld({ count: 100, kind: 'hang', owner: 'one' })
    respond['/hang'] = () => after(20)
    server.dispatcher.start()
    await flood()
    await measure(50)
    respond['/hang'] = () => new Promise(() => {})
    await flood()
    expect(await measure(50)).toBeLessThanOrEqual(1_000)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await measure(50)).toBeLessThanOrEqual(5)
  })
})
