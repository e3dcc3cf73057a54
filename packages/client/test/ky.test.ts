import { OutcomeUnknownError } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import ky from 'ky'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService } from './loopback.ts'

it('sends every attempt with the hooks, headers and fetch of a ky instance', async () => {
  const service = await startService((response, request, number) =>
    number === 1
      ? sendJson(response, 429, {}, { 'retry-after': '1' })
      : sendJson(response, 200, { success: true, groupId: JSON.parse(request.body).groupId }),
  )
  let fetched = 0
  const instance = ky.create({
    headers: { 'x-team': 'orders' },
    hooks: {
      beforeRequest: [
        ({ request }) => request.headers.set('x-bytes', String(request.headers.has('authorization'))),
      ],
    },
    fetch: (input, init) => {
      fetched += 1
      return fetch(input, init)
    },
  })
  const client = createTestClient(service.url, { ky: instance, clock: createTestClock() })
  expect(await client.groups.create({ ...group, groupId: 'g' })).toEqual({ success: true, groupId: 'g' })
  expect(fetched).toBe(2)
  expect(service.requests).toHaveLength(2)
  for (const { headers, body } of service.requests) {
    expect(headers).toMatchObject({ 'x-team': 'orders', 'x-bytes': 'true', authorization: apiKey })
    expect(JSON.parse(body)).toEqual({ ...group, groupId: 'g' })
  }
})

it('keeps control of retries, time limits, errors and the URL', async () => {
  const service = await startService((response) => sendJson(response, 500, { message: 'no' }))
  const instance = ky.create({
    prefix: 'https://elsewhere.example',
    retry: 5,
    timeout: 1,
    totalTimeout: 1,
    throwHttpErrors: true,
  })
  const client = createTestClient(service.url, {
    ky: instance,
    clock: createTestClock(),
    retry: { limit: 1 },
  })
  expect(await getRejection(client.calls.getSummary('c'))).toMatchObject({
    name: 'ServerError',
    body: '{"message":"no"}',
  })
  expect(service.requests.map(({ url }) => url)).toEqual(Array(2).fill('/v1/call/ai-summary?callId=c'))
})

it('calls a custom fetch with a URL and plain options, completed by the instance', async () => {
  const calls: unknown[] = []
  const client = createTestClient('https://a.example', {
    ky: ky.create({ headers: { 'x-team': 'orders' } }),
    fetch: async (...call) => {
      calls.push(call)
      return Response.json({ success: true, groupId: 'g' })
    },
  })
  await client.groups.create({ ...group, groupId: 'g' })
  expect(calls).toEqual([
    [
      'https://a.example/whatsapp/wa-group/create',
      {
        method: 'POST',
        headers: expect.objectContaining({ 'x-team': 'orders', authorization: apiKey }),
        body: JSON.stringify({ ...group, groupId: 'g' }),
        signal: expect.any(AbortSignal),
        redirect: 'manual',
      },
    ],
  ])
})

it('passes the body that a hook of the instance sets to a custom fetch, and none for a read', async () => {
  const bodies: unknown[] = []
  const instance = ky.create({
    hooks: {
      beforeRequest: [
        ({ request }) =>
          request.method === 'POST' ? new Request(request, { body: '{"subject":"of the hook"}' }) : request,
      ],
    },
  })
  const client = createTestClient('https://a.example', {
    ky: instance,
    fetch: async (_url, init) => {
      bodies.push('body' in init ? init.body : 'none')
      return Response.json(
        init.method === 'POST' ? { success: true, groupId: 'g' } : { callId: 'c', summary },
      )
    },
  })
  await client.groups.create(group)
  await client.calls.getSummary('c')
  expect(bodies).toEqual(['{"subject":"of the hook"}', 'none'])
})

it('accepts a response from a hook', async () => {
  const respond = () => Response.json({ callId: 'c', summary }, { headers: { 'x-request-id': 'cached' } })
  const instance = ky.create({ hooks: { beforeRequest: [respond] } })
  const client = createTestClient('https://a.example', { ky: instance })
  expect(await client.calls.getSummary('c').withResponse()).toMatchObject({
    data: { callId: 'c', summary },
    requestId: 'cached',
  })
})

it("reports that nothing was sent if the instance's hook throws, or if there is no connection", async () => {
  const once = { retry: { limit: 0 } }
  const cause = new Error('no token')
  const instance = ky.create({
    hooks: {
      beforeRequest: [
        () => {
          throw cause
        },
      ],
    },
  })
  expect(
    await getRejection(createTestClient('https://a.example', { ...once, ky: instance }).groups.create(group)),
  ).toMatchObject({ name: 'ConnectionError', neverSent: true, cause })
  expect(
    await getRejection(createTestClient(await getRefusedUrl(), { ...once, ky }).groups.create(group)),
  ).toMatchObject({ name: 'ConnectionError', neverSent: true })
})

it('does not claim that nothing was sent once the instance has sent the request', async () => {
  const service = await startService((_, __) => {
    for (const socket of service.sockets) socket.destroy()
  })
  const client = createTestClient(service.url, { ky, retry: { limit: 0 } })
  expect(await getRejection(client.groups.create(group))).toBeInstanceOf(OutcomeUnknownError)
})

it("stops an instance's attempt when the signal aborts", async () => {
  const service = await startService(() => {})
  const controller = new AbortController()
  const reason = new Error('stop')
  setTimeout(() => controller.abort(reason), 20)
  const client = createTestClient(service.url, { ky })
  expect(await getRejection(client.groups.create(group, { signal: controller.signal }))).toBe(reason)
  await expect.poll(() => service.carrying.size).toBe(0)
})

it("sends an instance's requests to the mock", async () => {
  await using mock = await createMock()
  const client = mock.client({ ky: ky.create({ headers: { 'x-team': 'orders' } }) })
  await client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  expect(mock.requests.map(({ headers }) => headers.get('x-team'))).toEqual(['orders'])
})
