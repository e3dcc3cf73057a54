import { createMock, MockUsageError } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

test("payloads use the mock's time, and signatures the machine's", async () => {
  await using mock = await createMock()
  await mock.clock.advance('10d')
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })
  const { event, headers, at } = await mock.waitForDelivery('GROUP_CREATED', { groupId })
  expect(event.groupCreatedAt).toBe('2026-01-11T10:00:00.000Z')
  expect(at).toBe(Date.parse('2026-01-11T10:00:00.000Z'))
  expect(Math.abs(Number(headers.get('webhook-timestamp')) - Date.now() / 1_000)).toBeLessThan(5)
})

test('advance runs due work in the order of its due times', async () => {
  await using mock = await createMock()
  for (const seconds of [30, 10, 20]) {
    await mock.simulateCall({ callId: `call-${seconds}`, summary: { after: `${seconds}s` } })
  }
  await mock.clock.advance('1m')
  const summaries = mock.deliveries.filter(({ name }) => name === 'CALL_AI_SUMMARY')
  const start = Date.parse('2026-01-01T10:00:00.000Z')
  expect(summaries.map(({ event, at }) => [event && 'callId' in event && event.callId, at - start])).toEqual([
    ['call-10', 10_000],
    ['call-20', 20_000],
    ['call-30', 30_000],
  ])
})

test('concurrent advances add up, concurrent sleeps overlap', async () => {
  await using mock = await createMock()
  const start = mock.clock.now()
  await Promise.all([mock.clock.advance('30s'), mock.clock.advance('30s')])
  expect(mock.clock.now() - start).toBe(60_000)
  await Promise.all([mock.clock.sleep(3_000), mock.clock.sleep(2_000)])
  expect(mock.clock.now() - start).toBe(63_000)
})

test('a sleep ends when its signal is aborted', async () => {
  await using mock = await createMock()
  const start = mock.clock.now()
  await expect(mock.clock.sleep(5_000, AbortSignal.abort('enough'))).rejects.toBe('enough')
  expect(mock.clock.now()).toBe(start)
})

test('a request whose signal is aborted rejects, like a real fetch', async () => {
  await using mock = await createMock()
  const path = `${mock.url}/v1/call/ai-summary`
  await expect(mock.fetch(path, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  mock.faults.next('*', { latencyMs: 60_000 })
  await expect(mock.fetch(path, { signal: AbortSignal.timeout(10) })).rejects.toThrow(/timeout/)
})

test("a webhook handler may use a client that sleeps on the mock's clock", async () => {
  await using mock = await createMock()
  const verify = standardWebhooks({ secrets: [mock.secret] })
  const fetched: string[] = []
  const receiver = createReceiver({ verify }).on('CALL_AI_SUMMARY', async ({ callId }) => {
    mock.faults.next('calls.getSummary', { status: 429, retryAfterSeconds: 3 })
    fetched.push((await mock.client().calls.getSummary(callId)).callId)
  })
  mock.deliverTo(receiver)
  const { callId } = await mock.simulateCall()
  await mock.clock.advance(0)
  expect(fetched).toEqual([callId])
})

test('attempts a delivery for the whole schedule if the receiver never responds, and then gives up', async () => {
  await using mock = await createMock()
  mock.deliverTo(() => Promise.reject(new Error('connection refused')))
  await mock.simulateCall({ outcome: 'missed' })
  await mock.clock.advance('4d')
  const [first] = mock.deliveries
  expect(mock.deliveries.map(({ at }) => (at - (first?.at ?? 0)) / 1_000)).toEqual([
    0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105,
  ])
  expect(first).toMatchObject({ status: undefined, error: 'connection refused', acknowledged: false })
})

test.each(['before', 'after'])(
  'works with fake timers that were installed %s it was loaded',
  async (when) => {
    const now = new Date('2040-01-01')
    if (when === 'before') vi.useFakeTimers({ now })
    vi.resetModules()
    const { createMock } = await import('@wabakit/mock')
    vi.useFakeTimers({ now })
    await using mock = await createMock()
    const received: string[] = []
    const verify = standardWebhooks({ secrets: [mock.secret] })
    mock.deliverTo(createReceiver({ verify }).onAny(({ event }) => received.push(event)))
    mock.faults.next('*', { status: 429, retryAfterSeconds: 5 })
    mock.faults.next('*', { latencyMs: 1 })
    const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })
    await mock.waitForDelivery('GROUP_CREATED', { groupId })
    await mock.simulateCall({ summary: { after: '30s' } })
    await mock.clock.advance('30s')
    expect(received).toHaveLength(5)
    await expect(mock.waitForEvent('CALL_MISSED', {}, { timeoutMs: 10 })).rejects.toThrow(/within 10 ms/)
    await mock.expectNoEvent('CALL_MISSED', {}, { forMs: 5 })
  },
)

test("with the machine's clock everything happens on its own, and the clock cannot be advanced", async () => {
  await using mock = await createMock({ clock: 'machine' })
  const { callId } = await mock.simulateCall({ summary: { after: '1s' } })
  await mock.expectNoEvent('CALL_AI_SUMMARY', { callId })
  const { event } = await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(Math.abs(Date.parse(event.callEndedAt) - Date.now())).toBeLessThan(5_000)
  await expect(mock.clock.advance('1s')).rejects.toThrow(MockUsageError)
  await expect(mock.clock.advance('1s')).rejects.toThrow(/clock: 'virtual'/)
})
