import { type ClaimRequest, createReferenceServer, type DeliveryOptions, memoryStore } from '@wabakit/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const hour = 3_600_000

/** A server that polls only every hour, and an endpoint that responds with these statuses. */
const open = async ({
  statuses = [200],
  delivery = {},
  store = memoryStore(),
}: {
  readonly statuses?: readonly number[]
  readonly delivery?: DeliveryOptions
  readonly store?: ReturnType<typeof memoryStore>
}) => {
  const sentAt: number[] = []
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '15550100001' }] }],
    store,
    clock: { now: () => Date.now() },
    delivery: { pollMs: hour, random: () => 0, ...delivery },
    fetch: async () => new Response(null, { status: statuses[sentAt.push(Date.now()) - 1] ?? 200 }),
  })
  await server.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '15550100001',
    url: 'https://receiver.example/',
  })
  const start = Date.now()
  return {
    server,
    createGroup: () => server.groups.create('acme', { wabaNumber: '15550100001', subject: 'Team' }),
    /** Times of the attempts, in milliseconds after the start. */
    attempts: () => sentAt.map((at) => at - start),
  }
}

test('a started dispatcher that is idle sends a delivery as soon as it is due', async () => {
  const { server, createGroup, attempts } = await open({})
  server.dispatcher.start()
  await vi.advanceTimersByTimeAsync(1_000)
  await createGroup()
  await vi.advanceTimersByTimeAsync(10)
  expect(attempts()).toEqual([1_000])
})

test('a started dispatcher wakes up when the next attempt is due, not at its next poll', async () => {
  const { server, createGroup, attempts } = await open({ statuses: [500, 500], delivery: { pollMs: 3_100 } })
  server.dispatcher.start()
  await createGroup()
  await vi.advanceTimersByTimeAsync(hour - 1)
  expect(attempts()).toEqual([0, 5_000, 305_000])
})

test('a started dispatcher finds due deliveries although the store does not report them', async () => {
  const store = { ...memoryStore(), onDue: () => () => {} }
  const { server, createGroup, attempts } = await open({ store, delivery: { pollMs: 60_000 } })
  server.dispatcher.start()
  await vi.advanceTimersByTimeAsync(1_000)
  await createGroup()
  await vi.advanceTimersByTimeAsync(58_999)
  expect(attempts()).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(attempts()).toEqual([60_000])
})

test('a delivery that is due but cannot be claimed does not make the dispatcher poll more often', async () => {
  let claims = 0
  const claimDeliveries = async ({ limit }: ClaimRequest) => {
    if (limit > 0) claims++
    return []
  }
  const store = { ...memoryStore(), claimDeliveries }
  const { server, createGroup } = await open({ store, delivery: { pollMs: 1_000 } })
  await createGroup()
  server.dispatcher.start()
  await vi.advanceTimersByTimeAsync(10_500)
  expect(claims).toBe(11)
})

test.each([
  ['while it polls', 0],
  ['between two polls', 1_000],
])('a dispatcher that is stopped %s does not poll again', async (_, ms) => {
  const { server, createGroup, attempts } = await open({})
  server.dispatcher.start()
  if (ms > 0) await vi.advanceTimersByTimeAsync(ms)
  await server.dispatcher.stop()
  await createGroup()
  await vi.advanceTimersByTimeAsync(2 * hour)
  expect(attempts()).toEqual([])
})
