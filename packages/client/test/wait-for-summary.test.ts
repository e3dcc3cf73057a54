import { getEventListeners } from 'node:events'
import {
  AuthenticationError,
  NotFoundError,
  ResponseFormatError,
  SummaryPendingError,
  SummaryUnavailableError,
  TimeoutError,
  ValidationError,
} from '@wabakit/client'
import type { CallAiSummaryEvent } from '@wabakit/contract'
import { createReceiver, unsigned } from '@wabakit/webhooks'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestClock } from './clock.ts'
import { createTestClient, getRejection, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService } from './loopback.ts'

afterEach(() => vi.restoreAllMocks())

type Step = readonly [status: number, headers?: Record<string, string>, body?: unknown]

/** Starts a service that responds with one step per request, and repeats the last one. */
const startSteps = (...steps: Step[]) =>
  startService((response, _, number) => {
    const [status, headers, body = {}] = steps[number - 1] ?? steps.at(-1) ?? [200]
    sendJson(response, status, status === 200 ? { callId: 'c', summary } : body, headers)
  })

const event: CallAiSummaryEvent = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId: 'c',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-01T10:00:00.000Z',
  callEndedAt: '2026-01-01T10:00:42.000Z',
  from: '+1',
  to: '+2',
  channelNumber: '+1',
  customerNumber: '+2',
  callType: 'AI_BOT',
  triggeredVia: 'INBOUND',
  summary,
}

const createEventSource = () => {
  const listeners = new Set<(event: CallAiSummaryEvent) => void>()
  return {
    listeners,
    emit: (callId: string) => {
      for (const listener of listeners) listener({ ...event, callId })
    },
    subscribe: (_: 'CALL_AI_SUMMARY', listener: (event: CallAiSummaryEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

it('polls while the service returns 202 or 404, and resolves to the record', async () => {
  const service = await startSteps([202], [404], [202], [200])
  const record = await createTestClient(service.url, { clock: createTestClock() }).calls.waitForSummary('c')
  expect(record).toEqual({ callId: 'c', summary })
  expect(service.requests).toHaveLength(4)
})

it.each([
  ['by default', {}, 10_000],
  ['with notFoundGraceMs', { notFoundGraceMs: 30_000 }, 30_000],
  ['at once with 0', { notFoundGraceMs: 0 }, 0],
])('rejects with a NotFoundError when 404 has lasted for the grace, %s', async (_, options, graceMs) => {
  const service = await startSteps([202], [404])
  const clock = createTestClock()
  const client = createTestClient(service.url, { clock, random: () => 0 })
  const start = clock.now()
  const error = await getRejection(client.calls.waitForSummary('c', options))
  expect(error).toBeInstanceOf(NotFoundError)
  expect((error as Error).message).toMatch(/unknown.*another organization.*WhatsApp call/)
  expect(clock.now() - start).toBe(2_000 + graceMs)
  expect(service.requests).toHaveLength(2 + graceMs / 2_000)
})

it('starts the grace again after a 202, and keeps it through errors that say nothing about the call', async () => {
  const service = await startSteps([404], [404], [202], [404], [503], [404], [404])
  const clock = createTestClock()
  const client = createTestClient(service.url, { clock, random: () => 0 })
  const start = clock.now()
  const options = { notFoundGraceMs: 5_000 }
  expect(await getRejection(client.calls.waitForSummary('c', options))).toBeInstanceOf(NotFoundError)
  expect(service.requests).toHaveLength(7)
  expect(clock.now() - start).toBe(12_000)
})

it('goes on waiting for the event after the grace, and asks once more before the end', async () => {
  const service = await startSteps([404])
  const clock = createTestClock()
  const client = createTestClient(service.url, { clock, random: () => 0 })
  const start = clock.now()
  const error = await getRejection(client.calls.waitForSummary('c', { events: createEventSource() }))
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'maxWaitMs', cause: { name: 'NotFoundError' } })
  expect(clock.now() - start).toBe(120_000)
  // At 0, 2, 4, 6, 8 and 10 s, and at 118 s.
  expect(clock.sleeps).toEqual([2_000, 2_000, 2_000, 2_000, 2_000, 108_000, 2_000])
  expect(service.requests).toHaveLength(7)
})

it('resolves with the summary that the last request finds, or with an event after the grace', async () => {
  const asked = await startSteps([404], [200])
  const options = { notFoundGraceMs: 0, events: createEventSource() }
  const clock = createTestClock()
  const late = createTestClient(asked.url, { clock }).calls.waitForSummary('c', options)
  expect(await late).toMatchObject({ summary })
  expect(asked.requests).toHaveLength(2)

  const missing = await startSteps([404])
  const waiting = createTestClient(missing.url).calls.waitForSummary('c', { ...options, maxWaitMs: Infinity })
  await expect.poll(() => missing.requests.length).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  options.events.emit('c')
  expect(await waiting).toMatchObject({ channel: 'PSTN' })
  expect(missing.requests).toHaveLength(1)
})

it('rejects after 422', async () => {
  const service = await startSteps([202], [422])
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).calls.waitForSummary('c'),
  )
  expect(error).toBeInstanceOf(SummaryUnavailableError)
  expect(service.requests).toHaveLength(2)
})

it('rejects after maxWaitMs with a TimeoutError whose cause is the last error', async () => {
  const service = await startSteps([404], [202])
  const clock = createTestClock()
  const start = clock.now()
  const options = { maxWaitMs: 10_000, intervalMs: 1_000 }
  const error = await getRejection(
    createTestClient(service.url, { clock, random: () => 0 }).calls.waitForSummary('c', options),
  )
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ limit: 'maxWaitMs', timeoutMs: 10_000, neverSent: false })
  const { message, cause } = error as Error
  expect(cause).toBeInstanceOf(SummaryPendingError)
  expect(message).toBe(
    `No summary of call c within maxWaitMs (10000 ms). Last error: ${(cause as SummaryPendingError).message}`,
  )
  expect(clock.now() - start).toBe(10_000)
  expect(service.requests).toHaveLength(10)
})

it('waits 120 s and polls every 2 to 3 s by default', async () => {
  const service = await startSteps([202])
  const clock = createTestClock()
  await getRejection(createTestClient(service.url, { clock }).calls.waitForSummary('c'))
  const whole = clock.sleeps.slice(0, -1)
  expect(Math.min(...whole)).toBeGreaterThanOrEqual(2_000)
  expect(Math.max(...whole)).toBeLessThanOrEqual(3_000)
  expect(clock.sleeps.reduce((sum, ms) => sum + ms)).toBeCloseTo(120_000)
})

it('requests the summary once more if one millisecond is left', async () => {
  const clock = createTestClock()
  const fetch = async () => new Response(null, { status: 404 })
  const client = createTestClient('https://a.example', { clock, fetch, random: () => 0 })
  await getRejection(client.calls.waitForSummary('c', { maxWaitMs: 2_001 }))
  expect(clock.sleeps).toEqual([2_000, 1])
})

it('waits no negative time if a request took longer than maxWaitMs', async () => {
  let nowMs = 0
  const sleeps: number[] = []
  const clock = { now: () => nowMs, sleep: async (ms: number) => void sleeps.push(ms) }
  const fetch = async () => {
    nowMs += 6_000
    return new Response(null, { status: 404 })
  }
  const client = createTestClient('https://a.example', { clock, fetch })
  const error = await getRejection(client.calls.waitForSummary('c', { maxWaitMs: 5_000 }))
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'maxWaitMs' })
  expect(sleeps).toEqual([0])
})

it('spreads its requests, so that concurrent waits do not poll in step', async () => {
  const service = await startSteps([202])
  const recordSleeps = async () => {
    const clock = createTestClock()
    await getRejection(
      createTestClient(service.url, { clock }).calls.waitForSummary('c', { maxWaitMs: 20_000 }),
    )
    return clock.sleeps
  }
  const [one, other] = [await recordSleeps(), await recordSleeps()]
  expect(one).not.toEqual(other)
  expect(new Set(one).size).toBeGreaterThan(one.length / 2)
})

it.each([[202], [404], [429], [503]])(
  'never polls earlier than the Retry-After of a %i asks for',
  async (status) => {
    const service = await startSteps([status, { 'retry-after': '30' }], [200])
    const clock = createTestClock()
    await createTestClient(service.url, { clock }).calls.waitForSummary('c')
    expect(clock.sleeps).toHaveLength(1)
    expect(clock.sleeps[0]).toBeGreaterThanOrEqual(30_000)
    expect(clock.sleeps[0]).toBeLessThanOrEqual(31_000)
  },
)

it.each([[202], [404], [408], [429], [500], [503]])(
  'does not loop without pauses on a %i with a Retry-After of 0',
  async (status) => {
    const service = await startSteps([status, { 'retry-after': '0' }])
    const clock = createTestClock()
    await getRejection(
      createTestClient(service.url, { clock }).calls.waitForSummary('c', { maxWaitMs: 10_000 }),
    )
    expect(service.requests.length).toBeLessThanOrEqual(5)
  },
)

it('keeps its interval if Retry-After is shorter', async () => {
  const service = await startSteps([202, { 'retry-after': '1' }], [200])
  const clock = createTestClock()
  await createTestClient(service.url, { clock }).calls.waitForSummary('c')
  expect(clock.sleeps[0]).toBeGreaterThanOrEqual(2_000)
})

it('does not loop without pauses if the connection is refused and the clock is stopped', async () => {
  const sleeps: number[] = []
  const clock = { now: () => 0, sleep: async (ms: number) => void sleeps.push(ms) }
  const client = createTestClient(await getRefusedUrl(), { clock })
  const error = await getRejection(client.calls.waitForSummary('c', { maxWaitMs: 10_000 }))
  expect(error).toMatchObject({ name: 'TimeoutError', cause: { name: 'ConnectionError' } })
  expect(sleeps.length).toBeLessThanOrEqual(6)
})

it('stops polling if Retry-After exceeds maxWaitMs', async () => {
  const service = await startSteps([202, { 'retry-after': '600' }])
  const clock = createTestClock()
  const error = await getRejection(createTestClient(service.url, { clock }).calls.waitForSummary('c'))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(service.requests).toHaveLength(1)
  expect(clock.sleeps).toEqual([120_000])
})

it('continues after transient errors', async () => {
  const service = await startSteps([500], [429], [503], [408], [200])
  expect(
    await createTestClient(service.url, { clock: createTestClock() }).calls.waitForSummary('c'),
  ).toMatchObject({
    summary,
  })
})

it.each([
  [401, AuthenticationError, {}],
  [404, NotFoundError, { code: 'route_not_found' }],
  [204, ResponseFormatError, {}],
])('rejects at once after a %i that waiting cannot fix', async (status, Class, body) => {
  const service = await startSteps([status, {}, body])
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).calls.waitForSummary('c'),
  )
  expect(error).toBeInstanceOf(Class)
  expect(service.requests).toHaveLength(1)
})

it('rejects after maxWaitMs of real time if a request hangs', async () => {
  const service = await startService(() => {})
  const error = await getRejection(createTestClient(service.url).calls.waitForSummary('c', { maxWaitMs: 60 }))
  // Without this limit, the request would end after 15 s.
  const cause = { name: 'TimeoutError', limit: 'totalTimeoutMs' }
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'maxWaitMs', cause })
  await expect.poll(() => service.carrying.size).toBe(0)
})

it('resolves with a received event and aborts the pending request', async () => {
  const service = await startService(() => {})
  const events = createEventSource()
  const waiting = createTestClient(service.url).calls.waitForSummary('c', { events })
  await expect.poll(() => service.requests.length).toBe(1)
  events.emit('another')
  await new Promise((resolve) => setImmediate(resolve))
  expect(events.listeners.size).toBe(1)
  events.emit('c')
  const { event: _, ...record } = event
  expect(await waiting).toEqual(record)
  expect(events.listeners.size).toBe(0)
  expect(service.requests).toHaveLength(1)
  await expect.poll(() => service.carrying.size).toBe(0)
})

it('resolves with a webhook that a wabakit receiver handles', async () => {
  const service = await startService(() => {})
  const receiver = createReceiver({ verify: unsigned() })
  const waiting = createTestClient(service.url).calls.waitForSummary('c', { events: receiver })
  const response = await receiver.handle(
    new Request('http://localhost', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    }),
  )
  expect(response.status).toBe(200)
  expect(await waiting).toMatchObject({ callId: 'c', durationInSeconds: 42, summary })
})

it('resolves at once with an event that arrives during a pause', async () => {
  const service = await startSteps([202])
  const events = createEventSource()
  const waiting = createTestClient(service.url).calls.waitForSummary('c', { events, intervalMs: 60_000 })
  await expect.poll(() => service.requests.length).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  events.emit('c')
  expect(await waiting).toMatchObject({ callId: 'c', channel: 'PSTN' })
})

it('resolves without a request if subscribing already calls the listener', async () => {
  const service = await startSteps([202])
  const subscribe = (_: string, listener: (of: CallAiSummaryEvent) => void) => {
    listener(event)
    return () => {}
  }
  const events = { subscribe }
  expect(await createTestClient(service.url).calls.waitForSummary('c', { events })).toMatchObject({
    callId: 'c',
  })
  expect(service.requests).toEqual([])
})

it.each([
  ['a summary', [200], {}],
  ['422', [422], {}],
  ['a timeout', [202], { maxWaitMs: 5_000 }],
] as const)('unsubscribes after %s', async (_, step, options) => {
  const service = await startSteps(step)
  const events = createEventSource()
  const { signal } = new AbortController()
  const client = createTestClient(service.url, { clock: createTestClock() })
  await client.calls.waitForSummary('c', { ...options, events, signal }).catch(() => {})
  expect(events.listeners.size).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('rejects at once with the reason of an abort, during a request and during a pause', async () => {
  const hanging = await startService(() => {})
  const pending = await startSteps([202])
  for (const service of [hanging, pending]) {
    const events = createEventSource()
    const controller = new AbortController()
    const waiting = createTestClient(service.url).calls.waitForSummary('c', {
      events,
      signal: controller.signal,
    })
    await expect.poll(() => service.requests.length).toBe(1)
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await getRejection(waiting)).toBe(reason)
    expect(events.listeners.size).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  }
  await expect.poll(() => hanging.carrying.size).toBe(0)
})

it.each([
  ['callId', '', {}],
  ['maxWaitMs', 'c', { maxWaitMs: 0 }],
  ['intervalMs', 'c', { intervalMs: 0 }],
  ['intervalMs', 'c', { intervalMs: Infinity }],
  ['notFoundGraceMs', 'c', { notFoundGraceMs: -1 }],
  ['timeoutMs', 'c', { timeoutMs: -1 }],
])('rejects an invalid %s before a request is sent', async (path, callId, options) => {
  const service = await startSteps([200])
  const error = await getRejection(
    createTestClient(service.url).calls.waitForSummary(callId, options as object),
  )
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({
    message: expect.stringContaining(`Invalid input to calls.waitForSummary: ${path} must `),
    issues: [{ path }],
  })
  expect(service.sockets.size).toBe(0)
})
