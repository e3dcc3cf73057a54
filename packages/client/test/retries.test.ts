import { getEventListeners } from 'node:events'
import {
  ApiError,
  ConnectionError,
  isWabakitError,
  OutcomeUnknownError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { createTestClient, getRejection, group, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService, startSockets } from './loopback.ts'

type Step = readonly [status: number, headers?: Record<string, string>, body?: object]

/** Starts a service that returns one step per request, then succeeds. */
const startSteps = (...steps: Step[]) =>
  startService((response, request, number) => {
    const [status, headers, body = {}] = steps[number - 1] ?? [200]
    if (status !== 200) return sendJson(response, status, body, headers)
    sendJson(
      response,
      200,
      request.method === 'POST' ? { success: true, groupId: 'g' } : { callId: 'c', summary },
    )
  })

const withGroupId = { ...group, groupId: 'order-7' }

it.each([408, 429, 500, 502, 503, 504])('retries a read after %i', async (status) => {
  const service = await startSteps([status], [status])
  const clock = createTestClock()
  await createTestClient(service.url, { clock }).calls.getSummary('c')
  expect(service.requests).toHaveLength(3)
  expect(clock.sleeps).toHaveLength(2)
})

it.each([400, 401, 403, 404, 409, 422])('does not retry a read after %i', async (status) => {
  const service = await startSteps([status])
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).calls.getSummary('c'),
  )
  expect(error).toMatchObject({ status })
  expect(service.requests).toHaveLength(1)
})

it('rejects with the last error when the limit is reached', async () => {
  const service = await startSteps([500], [502], [503])
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).calls.getSummary('c'),
  )
  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ status: 503 })
  expect(service.requests).toHaveLength(3)
})

it.each([
  ['seconds', '3', 3000],
  ['no time', '0', 0],
  ['a date', new Date(Date.UTC(2026, 0, 1, 0, 0, 7)).toUTCString(), 7000],
  ['a date in the past', new Date(Date.UTC(2025, 0, 1)).toUTCString(), 0],
])('waits as long as a Retry-After with %s asks for', async (_, value, waitedMs) => {
  const service = await startSteps([429, { 'retry-after': value }])
  const clock = createTestClock()
  await createTestClient(service.url, { clock }).groups.create(group)
  expect(clock.sleeps).toEqual([waitedMs])
})

it.each([['-5'], ['soon'], ['1e3'], ['5s'], ['']])(
  'uses the backoff for a Retry-After of "%s"',
  async (value) => {
    const service = await startSteps([429, { 'retry-after': value }])
    const clock = createTestClock()
    await createTestClient(service.url, { clock, random: () => 0.5 }).groups.create(group)
    expect(clock.sleeps).toEqual([250])
  },
)

it.each([['61'], ['99999999999999999999999'], ['Fri, 31 Dec 9999 23:59:59 GMT']])(
  'rejects at once if Retry-After %s exceeds the maximum',
  async (value) => {
    const service = await startSteps([429, { 'retry-after': value }])
    const clock = createTestClock()
    const client = createTestClient(service.url, { clock, totalTimeoutMs: Infinity })
    const error = await getRejection(client.groups.create(group))
    expect(error).toBeInstanceOf(RateLimitError)
    expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(60_000)
    expect(clock.sleeps).toEqual([])
  },
)

it('rejects at once if Retry-After is all the time left', async () => {
  const service = await startSteps([429, { 'retry-after': '10' }])
  const clock = createTestClock()
  const client = createTestClient(service.url, { clock, totalTimeoutMs: 10_000 })
  expect(await getRejection(client.calls.getSummary('c'))).toBeInstanceOf(RateLimitError)
  expect(clock.sleeps).toEqual([])
})

it("waits on the system's clock by default, and leaves no listeners on a signal", async () => {
  const service = await startSteps([500], [200], [500])
  const client = createTestClient(service.url, { retry: { backoffMs: [1, 1] }, random: () => 1 })
  const { signal } = new AbortController()
  expect(await client.calls.getSummary('c')).toMatchObject({ summary })
  expect(await client.calls.getSummary('c', { signal })).toMatchObject({ summary })
  expect(service.requests).toHaveLength(4)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

const unavailable: Step = [503, { 'retry-after': '1' }, { code: 'storage_unavailable' }]

it.each([
  ['a supplied', { groupId: 'order-7' }, {}],
  ['a generated', {}, {}],
  ['no', {}, { generateGroupIds: false }],
])(
  'retries a create request with %s groupId after 429 and after 503 storage_unavailable',
  async (_, id, options) => {
    const service = await startSteps([429], unavailable)
    await createTestClient(service.url, { clock: createTestClock(), ...options }).groups.create({
      ...group,
      ...id,
    })
    expect(service.requests).toHaveLength(3)
    expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1)
  },
)

it('rejects with a ServerError if the storage stays unavailable, because nothing was changed', async () => {
  const service = await startSteps(unavailable, unavailable, unavailable)
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).groups.create(group),
  )
  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ status: 503, code: 'storage_unavailable' })
})

const asksToWait = { 'retry-after': '1' }

it.each<{ step: Step }>([
  { step: [500] },
  { step: [502] },
  { step: [504] },
  { step: [503] },
  { step: [503, asksToWait] },
  { step: [503, asksToWait, { code: 'E_1234' }] },
  { step: [503, {}, { code: 'outcome_unknown' }] },
  { step: [500, {}, { code: 'storage_unavailable' }] },
])('does not retry a create request after $step, and does not know its outcome', async ({ step }) => {
  const [status, headers, body = {}] = step
  for (const input of [group, withGroupId]) {
    const service = await startSteps([status, { 'x-request-id': 'req_1', ...headers }, body])
    const error = await getRejection(
      createTestClient(service.url, { clock: createTestClock() }).groups.create(input),
    )
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({
      groupId: JSON.parse(service.requests[0]?.body ?? '').groupId,
      cause: { name: 'ServerError', status, requestId: 'req_1' },
    })
    expect((error as OutcomeUnknownError).groupId).toBeDefined()
    expect(service.requests).toHaveLength(1)
  }
})

it('does not retry a create request after 408', async () => {
  const service = await startSteps([408])
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).groups.create(withGroupId),
  )
  expect(error).toBeInstanceOf(ApiError)
  expect(service.requests).toHaveLength(1)
})

it.each([
  ['empty', 'a body that is not JSON', 'content-length: 0\r\n\r\n'],
  ['cut off', 'an incomplete body', 'content-length: 99\r\n\r\n{"success":true,'],
  [
    'cut off after complete JSON',
    'an incomplete body',
    'content-length: 99\r\n\r\n{"success":true,"groupId":"order-7"}',
  ],
  ['half of the JSON', 'a body that is not JSON', 'content-length: 16\r\n\r\n{"success":true,'],
])(
  'does not know the outcome of a create request whose successful response is %s',
  async (_, words, rest) => {
    const service = await startSockets((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nx-request-id: req_1\r\n${rest}`)),
    )
    const error = await getRejection(
      createTestClient(service.url, { clock: createTestClock() }).groups.create(withGroupId),
    )
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({
      groupId: 'order-7',
      cause: {
        name: 'ResponseFormatError',
        message: expect.stringMatching(` returned 200 with ${words} \\(request req_1\\)$`),
        status: 200,
        requestId: 'req_1',
        isComplete: false,
      },
    })
    expect(service.received).toHaveLength(1)
  },
)

it('retries a create request after a refused connection, and reports that nothing was sent', async () => {
  const clock = createTestClock()
  const error = await getRejection(createTestClient(await getRefusedUrl(), { clock }).groups.create(group))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: 'connection_failed', neverSent: true })
  expect((error as Error).message).toMatch(
    /^POST http:\/\/127\.0\.0\.1:\d+\/whatsapp\/wa-group\/create got no complete response: connect ECONNREFUSED/,
  )
  expect(clock.sleeps).toHaveLength(2)
})

it('retries a create request whose host is unknown', async () => {
  const clock = createTestClock()
  const client = createTestClient('https://no-such-host.invalid', { clock })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    name: 'ConnectionError',
    neverSent: true,
  })
  expect(clock.sleeps).toHaveLength(2)
})

it('never retries a create request that may have arrived, and names the event to wait for', async () => {
  const service = await startSockets((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const clock = createTestClock()
  const error = await getRejection(createTestClient(service.url, { clock }).groups.create(withGroupId))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', code: 'outcome_unknown', groupId: 'order-7' })
  expect((error as Error).message).toContain(
    'the group may exist. Wait for GROUP_CREATED with groupId order-7 before you create it again',
  )
  expect((error as Error).cause).toBeInstanceOf(ConnectionError)
  expect(service.received).toHaveLength(1)
})

it('recommends a groupId if the request had none', async () => {
  const service = await startSockets((socket) => socket.once('data', () => socket.destroy()))
  const client = createTestClient(service.url, { generateGroupIds: false })
  const error = await getRejection(client.groups.create(group))
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', groupId: undefined })
  expect((error as Error).message).toContain('supply a groupId')
})

it('retries a lost create request with writes always and a generated groupId, with the same body', async () => {
  const service = await startService((response, _, number) =>
    number < 3 ? response.destroy() : sendJson(response, 200, { success: true, groupId: 'g' }),
  )
  const client = createTestClient(service.url, { clock: createTestClock(), retry: { writes: 'always' } })
  await client.groups.create(group)
  expect(service.requests).toHaveLength(3)
  expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1)
})

it('does not retry a lost create request with writes always and without a groupId', async () => {
  const service = await startSockets((socket) => socket.once('data', () => socket.destroy()))
  const options = { clock: createTestClock(), retry: { writes: 'always' }, generateGroupIds: false } as const
  const client = createTestClient(service.url, options)
  expect(await getRejection(client.groups.create(group))).toBeInstanceOf(OutcomeUnknownError)
  expect(service.received).toHaveLength(1)
})

it.each([408, 500, 503])(
  'retries a create request after %i with writes always and a groupId',
  async (status) => {
    const service = await startSteps([status], [status])
    await createTestClient(service.url, {
      clock: createTestClock(),
      retry: { writes: 'always' },
    }).groups.create(withGroupId)
    expect(service.requests).toHaveLength(3)
  },
)

it.each([400, 401, 409, 422])(
  'does not retry a create request after %i, even with writes always and a groupId',
  async (status) => {
    const service = await startSteps([status])
    const options = { clock: createTestClock(), retry: { writes: 'always' } } as const
    const error = await getRejection(createTestClient(service.url, options).groups.create(withGroupId))
    expect(error).toMatchObject({ status })
    expect(service.requests).toHaveLength(1)
  },
)

it('leaves the outcome unknown if later failures reveal nothing about a lost create request', async () => {
  const service = await startService((response, _, number) =>
    number === 1 ? response.destroy() : sendJson(response, 429, {}, { 'retry-after': '1' }),
  )
  const client = createTestClient(service.url, { clock: createTestClock(), retry: { writes: 'always' } })
  const error = await getRejection(client.groups.create(withGroupId))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect((error as Error).cause).toBeInstanceOf(RateLimitError)
})

it('leaves the outcome unknown if a lost create request is rejected later, possibly because of its own group', async () => {
  const service = await startService((response, _, number) =>
    number === 1 ? response.destroy() : sendJson(response, 422, { code: 'group_id_conflict' }),
  )
  const client = createTestClient(service.url, { clock: createTestClock(), retry: { writes: 'always' } })
  const error = await getRejection(client.groups.create(withGroupId))
  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ cause: { code: 'group_id_conflict' } })
})

it('counts waits in full on a stopped clock', async () => {
  const sleeps: number[] = []
  const clock = { now: () => 0, sleep: async (ms: number) => void sleeps.push(ms) }
  const service = await startSteps(...Array.from({ length: 9 }, (): Step => [429, { 'retry-after': '4' }]))
  const client = createTestClient(service.url, { clock, totalTimeoutMs: 10_000, retry: { limit: 8 } })
  expect(await getRejection(client.calls.getSummary('c'))).toBeInstanceOf(ApiError)
  expect(sleeps).toEqual([4000, 4000])
})

it('starts no attempt if a wait used up the remaining time', async () => {
  let nowMs = 0
  const sleep = async () => {
    nowMs += 60_000
  }
  const clock = { now: () => nowMs, sleep }
  const service = await startSteps([500])
  const error = await getRejection(createTestClient(service.url, { clock }).calls.getSummary('c'))
  expect(error).toBeInstanceOf(ServerError)
  expect(service.requests).toHaveLength(1)
})

it('never retries what a retry cannot fix', async () => {
  const service = await startService((response) => response.end('not json'))
  const error = await getRejection(
    createTestClient(service.url, { clock: createTestClock() }).calls.getSummary('c'),
  )
  expect(isWabakitError(error) && error.code).toBe('unexpected_response')
  expect(error).not.toBeInstanceOf(TimeoutError)
  expect(service.requests).toHaveLength(1)
})
