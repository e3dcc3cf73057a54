import { type Fetch, type FetchInit, isWabakitError, OutcomeUnknownError } from '@wabakit/client'
import { fetch as undiciFetch } from 'undici'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group, summary } from './fixtures.ts'
import { sendJson, startService, startSockets } from './loopback.ts'
import { nodeFetch } from './node-fetch.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const once = { retry: { limit: 0 } }
const fetches: readonly (readonly [string, Fetch])[] = [
  ['the global fetch', globalThis.fetch],
  ['undici.fetch', undiciFetch],
  ['node-fetch', nodeFetch],
]

it('calls a custom fetch with a URL string, plain headers and a body string', async () => {
  const calls: (readonly [url: unknown, init: FetchInit])[] = []
  const client = createTestClient('https://a.example/base', {
    fetch: async (...call) => {
      calls.push(call)
      return Response.json(call[1].body ? { success: true, groupId: 'g' } : { callId: 'c d', summary })
    },
  })
  await client.groups.create({ ...group, groupId: 'g' })
  await client.calls.getSummary('c d')
  const [create, read] = calls
  expect(create?.[0]).toBe('https://a.example/base/whatsapp/wa-group/create')
  expect(create?.[1]).toEqual({
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: apiKey,
      'content-type': 'application/json',
      'user-agent': expect.stringContaining('wabakit/'),
      'x-public-api-key': apiKey,
    },
    body: JSON.stringify({ ...group, groupId: 'g' }),
    signal: expect.any(AbortSignal),
    redirect: 'manual',
  })
  expect(read?.[0]).toMatch(/^https:\/\/a\.example\/base\/.*\?callId=c%20d$/)
  expect(read?.[1]).not.toHaveProperty('body')
})

it.each(fetches)('works with %s', async (_, fetch) => {
  const service = await startService((response, request) =>
    request.method === 'POST'
      ? sendJson(response, 200, { success: true, groupId: JSON.parse(request.body).groupId })
      : sendJson(response, 200, { callId: 'c', summary }, { 'x-request-id': 'req_1' }),
  )
  const client = createTestClient(service.url, { fetch })
  expect(await client.groups.create({ ...group, groupId: 'g' })).toEqual({ success: true, groupId: 'g' })
  expect(await client.calls.getSummary('c').withResponse()).toMatchObject({
    data: { callId: 'c', summary },
    requestId: 'req_1',
  })
  expect(service.requests[0]?.headers).toMatchObject({
    authorization: apiKey,
    'content-type': 'application/json',
  })
})

it.each(fetches)('reads errors, redirects and incomplete responses from %s', async (_, fetch) => {
  const statuses = [400, 302, 503]
  const service = await startService((response, _request, number) =>
    sendJson(response, statuses[number - 1] ?? 500, { message: 'no' }, { location: '/there' }),
  )
  const client = createTestClient(service.url, { ...once, fetch })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    status: 400,
    body: '{"message":"no"}',
  })
  expect(await getRejection(client.groups.create(group))).toMatchObject({ name: 'ResponseFormatError' })
  expect(await getRejection(client.groups.create(group))).toBeInstanceOf(OutcomeUnknownError)
  const cut = await startSockets((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"success":true')),
  )
  const cutOff = createTestClient(cut.url, { ...once, fetch })
  expect(await getRejection(cutOff.groups.create(group))).toBeInstanceOf(OutcomeUnknownError)
  expect(await getRejection(cutOff.calls.getSummary('c'))).toMatchObject({
    name: 'ConnectionError',
    cause: expect.any(Error),
  })
})

it.each(fetches)('applies the time limit to a body from %s that does not end', async (_, fetch) => {
  const service = await startSockets((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"success":true')),
  )
  const client = createTestClient(service.url, { ...once, fetch, timeoutMs: 60 })
  expect(await getRejection(client.calls.getSummary('c'))).toMatchObject({ name: 'TimeoutError' })
  await expect.poll(() => service.carrying.size).toBe(0)
})

it.each([
  ['this runtime has no fetch', { fetch: undefined }, 'this runtime has no fetch: pass one to createClient'],
  ['Request, which sending needs, is missing', { Request: undefined }, 'no complete response'],
])('reports that nothing was sent if %s', async (_, globals, words) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  const client = createTestClient('https://a.example', { clock: createTestClock() })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining(words),
    neverSent: true,
  })
})

it('does not call fetch if a hook aborts the call', async () => {
  const controller = new AbortController()
  let calls = 0
  const client = createTestClient('https://a.example', {
    fetch: async () => {
      calls += 1
      return Response.json({ success: true, groupId: 'g' })
    },
    hooks: { beforeRequest: () => controller.abort() },
  })
  const { signal } = controller
  expect(await getRejection(client.groups.create(group, { signal }))).toBe(signal.reason)
  await new Promise((resolve) => setImmediate(resolve))
  expect(calls).toBe(0)
})

it('does not claim that nothing was sent once a custom fetch was called', async () => {
  const fetch = () => {
    throw new Error('broken')
  }
  const client = createTestClient('https://a.example', { fetch })
  expect(await getRejection(client.groups.create(group))).toBeInstanceOf(OutcomeUnknownError)
})

it.each([[undefined], [{}], ['{"success":true}']])(
  'reports that a custom fetch returned %j',
  async (returned) => {
    const fetch = async () => returned as unknown as Response
    const error = await getRejection(
      createTestClient('https://a.example', { ...once, fetch }).calls.getSummary('c'),
    )
    expect(isWabakitError(error) && error.message).toContain('fetch did not return a Response')
  },
)
