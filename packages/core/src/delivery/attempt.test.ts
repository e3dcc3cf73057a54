import { expect, onTestFinished, test, vi } from 'vitest'
import { buildEvent, buildSubscription, start } from '../../test/store-cases/records.ts'
import { newProgress } from '../storage/progress.ts'
import type { LoadedDelivery } from '../store.ts'
import { type AttemptContext, attemptDelivery, type DeliveryRequest } from './attempt.ts'
import { createStopSignal } from './stop-signal.ts'

const buildAttempted = (traceparent: string | null = null): LoadedDelivery => {
  const event = buildEvent({ traceparent })
  return {
    delivery: {
      id: 'dlv_1',
      eventId: event.id,
      organizationId: 'acme',
      subscriptionId: 'sub_1',
      eventName: event.name,
      subject: event.subject,
      webhookId: event.id,
      status: 'pending',
      dueAt: 0,
      createdAt: 0,
      finishedAt: null,
      ...newProgress,
    },
    event,
    subscription: buildSubscription(),
    pace: 'new',
  }
}

/** An attempt on fake timers, whose endpoint responds on request. */
const createAttempt = (timing: Partial<AttemptContext> = {}, traceparent: string | null = null) => {
  vi.useFakeTimers({ now: start, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopSignal = createStopSignal()
  const seen = { slow: 0, listeners: 0, requests: [] as DeliveryRequest[] }
  const response = Promise.withResolvers<Response>()
  const ended = attemptDelivery(buildAttempted(traceparent), {
    fetch: (_, request) => {
      seen.requests.push(request)
      return response.promise
    },
    clock: { now: () => Date.now() },
    signatureClock: { now: () => Date.now() },
    allowsCustomPayload: () => true,
    timeoutMs: 15_000,
    slowAfterMs: 500,
    onSlow: () => seen.slow++,
    stopping: {
      onStop: (listener) => {
        seen.listeners++
        const remove = stopSignal.onStop(listener)
        return () => {
          seen.listeners--
          remove()
        }
      },
    },
    ...timing,
  })
  /** Waits until the request has been sent, then until `ms` later. */
  const pass = async (ms: number): Promise<void> => {
    while (seen.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(ms)
  }
  return { ended, response, seen, stopSignal, pass }
}

test('an attempt reports once that it is slow, and fails at its timeout', async () => {
  const { ended, seen, pass } = createAttempt()
  await pass(499)
  expect(seen.slow).toBe(0)
  await pass(1)
  expect(seen.slow).toBe(1)
  await pass(14_499)
  expect(seen.requests[0]?.signal.aborted).toBe(false)
  await pass(1)
  expect(seen.requests[0]?.signal.aborted).toBe(true)
  const { attempt } = await ended
  expect(attempt).toMatchObject({
    status: null,
    error: 'no complete response within 15000 ms',
    durationMs: 15_000,
  })
  expect([seen.slow, seen.listeners, vi.getTimerCount()]).toEqual([1, 0, 0])
})

test.each([499, 500])('an attempt with a timeout of %i ms is never slow', async (timeoutMs) => {
  const { ended, seen, pass } = createAttempt({ timeoutMs })
  await pass(timeoutMs)
  expect((await ended).attempt).toMatchObject({ status: null, durationMs: timeoutMs })
  expect([seen.slow, vi.getTimerCount()]).toEqual([0, 0])
})

test.each([0, 600])('an attempt that ends after %i ms leaves neither a timer nor a listener', async (ms) => {
  for (const end of ['resolve', 'reject'] as const) {
    const { ended, response, seen, pass } = createAttempt()
    await pass(ms)
    expect([seen.listeners, vi.getTimerCount()]).toEqual([1, 1])
    if (end === 'resolve') response.resolve(new Response('ok', { status: 201 }))
    else response.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }))
    const { attempt } = await ended
    expect(attempt).toMatchObject(
      end === 'resolve'
        ? { status: 201, error: null, responseBody: 'ok' }
        : { status: null, error: 'fetch failed: connect ECONNREFUSED', responseBody: null },
    )
    expect([seen.listeners, vi.getTimerCount(), seen.requests[0]?.signal.aborted]).toEqual([0, 0, false])
  }
})

test('an attempt that is stopped ends at once, and says why', async () => {
  const { ended, seen, stopSignal, pass } = createAttempt()
  await pass(100)
  stopSignal.stop()
  const { attempt } = await ended
  expect(attempt).toMatchObject({ status: null, error: 'aborted, because the dispatcher is stopping' })
  expect([seen.listeners, vi.getTimerCount(), seen.requests[0]?.signal.aborted]).toEqual([0, 0, true])
})

test.each([null, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'])(
  'an attempt sends the traceparent %s of its event',
  async (traceparent) => {
    const { ended, response, seen, pass } = createAttempt({}, traceparent)
    await pass(0)
    response.resolve(new Response())
    await ended
    expect(seen.requests[0]?.headers.traceparent ?? null).toBe(traceparent)
    expect(Object.keys(seen.requests[0]?.headers ?? {}).includes('traceparent')).toBe(traceparent !== null)
  },
)
