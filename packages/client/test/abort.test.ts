import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createTestClient, getRejection, group } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService, startSockets } from './loopback.ts'

class OrderCancelled extends Error {}

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

const createAbort = () => {
  const controller = new AbortController()
  const reason = new OrderCancelled()
  return {
    signal: controller.signal,
    reason,
    abortSoon: () => void setTimeout(() => controller.abort(reason), 20),
  }
}

it('rejects with the reason itself and sends nothing if the signal has already aborted', async () => {
  const service = await startService((response) => sendJson(response, 200, {}))
  for (const reason of [new OrderCancelled(), 'a string', undefined]) {
    const signal = AbortSignal.abort(reason)
    expect(await getRejection(createTestClient(service.url).groups.create(group, { signal }))).toBe(
      signal.reason,
    )
    expect(await getRejection(createTestClient(service.url).calls.waitForSummary('c', { signal }))).toBe(
      signal.reason,
    )
    expect(getEventListeners(signal, 'abort')).toEqual([])
  }
  expect(service.sockets.size).toBe(0)
})

it.each([
  ['waiting for headers', ''],
  ['reading headers', 'HTTP/1.1 200 O'],
  ['reading a body', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"success"'],
  ['reading an error body', 'HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\n{"message"'],
])('stops while %s, with the reason itself, and closes the connection', async (_, words) => {
  const { signal, reason, abortSoon } = createAbort()
  const service = await startSockets((socket) =>
    socket.once('data', () => {
      socket.write(words)
      abortSoon()
    }),
  )
  const before = countTimers()
  expect(await getRejection(createTestClient(service.url).groups.create(group, { signal }))).toBe(reason)
  expect(countTimers()).toBeLessThanOrEqual(before)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await expect.poll(() => service.carrying.size).toBe(0)
})

it('stops during the wait before a retry, and leaves no timer', async () => {
  const { signal, reason, abortSoon } = createAbort()
  const service = await startService((response) => {
    sendJson(response, 429, {}, { 'retry-after': '50' })
    abortSoon()
  })
  const before = countTimers()
  expect(await getRejection(createTestClient(service.url).calls.getSummary('c', { signal }))).toBe(reason)
  expect(countTimers()).toBeLessThanOrEqual(before)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(service.requests).toHaveLength(1)
})

it('stops in every hook', async () => {
  const service = await startService((response) => sendJson(response, 503, {}))
  const never = () => new Promise<void>(() => {})
  const clock = { now: () => 0, sleep: async () => {} }
  for (const [url, name] of [
    [service.url, 'afterResponse'],
    [service.url, 'beforeRetry'],
    [await getRefusedUrl(), 'afterError'],
  ] as const) {
    const { signal, reason, abortSoon } = createAbort()
    abortSoon()
    const client = createTestClient(url, { clock, hooks: { [name]: never } })
    expect(await getRejection(client.calls.getSummary('c', { signal }))).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  }
})

it.each(['beforeRequest', 'afterResponse', 'beforeRetry', 'afterError'] as const)(
  'stops if %s itself aborts the call and then waits forever',
  async (name) => {
    const service = await startService((response) =>
      name === 'afterError' ? response.destroy() : sendJson(response, 503, {}),
    )
    const controller = new AbortController()
    const hook = () => {
      controller.abort(new OrderCancelled())
      return new Promise<void>(() => {})
    }
    const client = createTestClient(service.url, { hooks: { [name]: hook } })
    const { signal } = controller
    expect(await getRejection(client.calls.getSummary('c', { signal }))).toBe(signal.reason)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  },
)

it('stops in an auth function and in a hook before anything is sent', async () => {
  const service = await startService((response) => sendJson(response, 200, {}))
  const never = () => new Promise<void>(() => {})
  for (const options of [{ auth: never }, { hooks: { beforeRequest: never } }]) {
    const { signal, reason, abortSoon } = createAbort()
    abortSoon()
    expect(await getRejection(createTestClient(service.url, options).groups.create(group, { signal }))).toBe(
      reason,
    )
    expect(getEventListeners(signal, 'abort')).toEqual([])
  }
  expect(service.sockets.size).toBe(0)
})

it('stops even if a custom fetch and clock ignore the signal, and discards a late response', async () => {
  let respond: (response: Response) => void = () => {}
  let cancelled = false
  const fetch = () =>
    new Promise<Response>((resolve) => {
      respond = resolve
    })
  const first = createAbort()
  first.abortSoon()
  const client = createTestClient('https://a.example', { fetch })
  expect(await getRejection(client.calls.getSummary('c', { signal: first.signal }))).toBe(first.reason)
  const cancel = () => {
    cancelled = true
  }
  respond(new Response(new ReadableStream({ cancel })))
  await expect.poll(() => cancelled).toBe(true)

  const second = createAbort()
  second.abortSoon()
  const clock = { now: Date.now, sleep: () => new Promise<void>(() => {}) }
  const failing = createTestClient('https://a.example', {
    fetch: async () => new Response('', { status: 500 }),
    clock,
  })
  expect(await getRejection(failing.calls.getSummary('c', { signal: second.signal }))).toBe(second.reason)
})

it('rejects with the reason of an AbortSignal.timeout', async () => {
  const service = await startService(() => {})
  const error = await getRejection(
    createTestClient(service.url).groups.create(group, { signal: AbortSignal.timeout(20) }),
  )
  expect(error).toBeInstanceOf(DOMException)
  expect(error).toMatchObject({ name: 'TimeoutError' })
})
