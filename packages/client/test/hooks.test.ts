import type { Hooks, LogFields } from '@wabakit/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService } from './loopback.ts'

it('calls the hooks for each attempt, with the same request object in all hooks of one attempt', async () => {
  const service = await startService((response, _, number) =>
    sendJson(
      response,
      number < 3 ? 503 : 200,
      { callId: 'c', summary },
      { 'x-request-id': `req_${number}`, 'retry-after': '1' },
    ),
  )
  const seen: unknown[][] = []
  const requests = new Set<object>()
  const hooks: Hooks = {
    beforeRequest: ({ request }) => {
      requests.add(request)
      seen.push(['before', request.attempt, request.endpoint, request.method, request.path])
    },
    afterResponse: ({ request, response, requestId, body, durationMs }) => {
      requests.add(request)
      seen.push([
        'after',
        request.attempt,
        response.status,
        requestId,
        JSON.parse(body).callId,
        durationMs >= 0,
      ])
    },
    beforeRetry: ({ request, error, delayMs }) => {
      requests.add(request)
      seen.push(['retry', request.attempt, error.name, delayMs])
    },
  }
  await createTestClient(service.url, { hooks, clock: createTestClock() }).calls.getSummary('c')
  const path = '/v1/call/ai-summary?callId=c'
  expect(seen).toEqual([
    ['before', 1, 'calls.getSummary', 'GET', path],
    ['after', 1, 503, 'req_1', 'c', true],
    ['retry', 1, 'ServerError', 1000],
    ['before', 2, 'calls.getSummary', 'GET', path],
    ['after', 2, 503, 'req_2', 'c', true],
    ['retry', 2, 'ServerError', 1000],
    ['before', 3, 'calls.getSummary', 'GET', path],
    ['after', 3, 200, 'req_3', 'c', true],
  ])
  expect(requests.size).toBe(3)
})

it('calls afterError for an attempt without a response', async () => {
  const url = await getRefusedUrl()
  const names: unknown[] = []
  const hooks: Hooks = {
    afterError: ({ request, error }) => void names.push(request.attempt, (error as Error).name),
  }
  await getRejection(createTestClient(url, { hooks, clock: createTestClock() }).groups.create(group))
  expect(names).toEqual([1, 'ConnectionError', 2, 'ConnectionError', 3, 'ConnectionError'])
})

it('sends the headers that beforeRequest leaves, and the key, which hooks never see', async () => {
  const service = await startService((response) => sendJson(response, 200, { success: true, groupId: 'g' }))
  let seen = ''
  const hooks: Hooks = {
    beforeRequest: async ({ request }) => {
      request.headers.set('traceparent', '00-1')
      request.headers.set('authorization', 'of the hook')
    },
    afterResponse: ({ request }) => {
      seen = JSON.stringify([...request.headers])
    },
  }
  await createTestClient(service.url, { hooks }).groups.create(group)
  expect(service.requests[0]?.headers).toMatchObject({ traceparent: '00-1', authorization: apiKey })
  expect(seen).toContain('traceparent')
  expect(seen).not.toContain(apiKey)
})

it.each(['beforeRequest', 'afterResponse', 'beforeRetry', 'afterError'] as const)(
  'rejects with the error that %s throws, unwrapped and without a retry',
  async (name) => {
    const reason = new Error('no')
    let calls = 0
    const hooks = {
      [name]: () => {
        calls += 1
        throw reason
      },
    }
    const service = await startService((response) =>
      name === 'afterError' ? response.destroy() : sendJson(response, 500, {}),
    )
    expect(
      await getRejection(
        createTestClient(service.url, { hooks, clock: createTestClock() }).calls.getSummary('c'),
      ),
    ).toBe(reason)
    expect(calls).toBe(1)
  },
)

it('logs one debug line per attempt', async () => {
  const service = await startService((response, _, number) => {
    if (number === 1) return response.destroy()
    sendJson(response, 404, {}, { 'x-request-id': 'req_2' })
  })
  const lines: LogFields[] = []
  const logger = { debug: (fields: LogFields) => void lines.push(fields) }
  await getRejection(
    createTestClient(service.url, { logger, clock: createTestClock() }).calls.getSummary('c'),
  )
  const path = '/v1/call/ai-summary?callId=c'
  expect(lines).toEqual([
    {
      message: `GET ${path} ConnectionError in 0 ms (attempt 1)`,
      method: 'GET',
      path,
      error: 'ConnectionError',
      ms: 0,
      attempt: 1,
    },
    {
      message: `GET ${path} 404 in 0 ms (attempt 2, request req_2)`,
      method: 'GET',
      path,
      status: 404,
      ms: 0,
      attempt: 2,
      requestId: 'req_2',
    },
  ])
})

it('logs an attempt that was aborted with a reason other than an error', async () => {
  const controller = new AbortController()
  const service = await startService(() => controller.abort('closed'))
  const lines: LogFields[] = []
  const logger = { debug: (fields: LogFields) => void lines.push(fields) }
  const client = createTestClient(service.url, { logger, clock: createTestClock() })
  expect(await getRejection(client.calls.getSummary('c', { signal: controller.signal }))).toBe('closed')
  const path = '/v1/call/ai-summary?callId=c'
  expect(lines).toEqual([
    {
      message: `GET ${path} aborted in 0 ms (attempt 1)`,
      method: 'GET',
      path,
      error: 'aborted',
      ms: 0,
      attempt: 1,
    },
  ])
})

it('measures durations that ignore changes to the system time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const service = await startService((response) => {
    vi.setSystemTime(Date.now() + 3_600_000)
    sendJson(response, 404, {})
  })
  const durations: number[] = []
  const hooks: Hooks = { afterResponse: ({ durationMs }) => void durations.push(durationMs) }
  await getRejection(createTestClient(service.url, { hooks }).calls.getSummary('c'))
  expect(durations).toHaveLength(1)
  expect(durations[0]).toBeLessThan(3_600_000)
})

it('ignores errors from the logger', async () => {
  const service = await startService((response) => sendJson(response, 200, { success: true, groupId: 'g' }))
  const logger = {
    debug: () => {
      throw new Error('disk full')
    },
  }
  expect(await createTestClient(service.url, { logger }).groups.create(group)).toMatchObject({ groupId: 'g' })
})
