import { ErrorBody, errorCodes } from '@wabakit/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { control, createGroup, start } from './fixture.ts'

const startFaulty = async () => {
  const server = await start({ sandbox: true })
  const fail = (fault: object) => control(server, 'POST /faults', { endpoint: 'groups.create', ...fault })
  return { server, fail }
}

test('responds 503 with Retry-After as the service does when its storage is unavailable', async () => {
  const { server, fail } = await startFaulty()
  await fail({ status: 503, retryAfterSeconds: 1 })
  await fail({ status: 503 })
  expect(await (await createGroup(server.url)).json()).toMatchObject({ code: 'storage_unavailable' })
  expect(await (await createGroup(server.url)).json()).not.toHaveProperty('code')
})

test('responds with a status the given number of times, then as usual', async () => {
  const { server, fail } = await startFaulty()

  await fail({ status: 429, retryAfterSeconds: 2, times: 2 })
  const responses = [
    await createGroup(server.url),
    await createGroup(server.url),
    await createGroup(server.url),
  ]

  expect(responses.map(({ status }) => status)).toEqual([429, 429, 200])
  expect(responses[0]?.headers.get('retry-after')).toBe('2')
  expect(responses[0]?.headers.get('ratelimit')).toBe('"key";r=0;t=2')
  expect(responses[0]?.headers.get('ratelimit-policy')).toBe('"key";q=300;w=60')
})

test('sends Retry-After only if the fault has it', async () => {
  const { server, fail } = await startFaulty()
  await fail({ status: 503 })
  const { status, headers } = await createGroup(server.url)
  expect([status, headers.has('retry-after')]).toEqual([503, false])
})

test.each([
  { status: 500 },
  { status: 404 },
  { status: 429, retryAfterSeconds: 1 },
  { html: true },
  { malformed: true },
  { offContract: true },
  { latencyMs: 1 },
])('gives the response of the fault %j a request id', async (fault) => {
  const { server, fail } = await startFaulty()

  await fail(fault)
  const response = await createGroup(server.url)

  expect(response.headers.get('x-request-id')).toMatch(/^req_\w{26}$/)
})

test.each([
  [{ status: 500 }, { status: 500, code: 'internal_error', groupId: null }],
  [
    { status: 500, carriedOut: true },
    { status: 500, code: 'internal_error', groupId: expect.any(String) },
  ],
  [
    { reset: true, carriedOut: true },
    { status: null, code: null, groupId: expect.any(String) },
  ],
  [{ reset: true }, { status: null, code: null, groupId: null }],
])('lists the request that got the fault %j with what was sent', async (fault, listed) => {
  const { server, fail } = await startFaulty()
  await fail(fault)
  await createGroup(server.url).catch(() => {})
  const list = async () => (await control(server, 'GET /requests')).body.items
  // The connection is dropped before the request is listed.
  await expect.poll(list).toMatchObject([{ ...listed, organizationId: expect.any(String) }])
})

test.each([403, 408, 413, 415, 429, 431, 500])(
  'responds to the fault { status: %i } with the only code that the endpoint has for it',
  async (status) => {
    const { server, fail } = await startFaulty()

    await fail({ status })
    const response = await createGroup(server.url)

    const { code } = ErrorBody.parse(await response.json())
    expect(errorCodes[code]).toBe(status)
  },
)

test('does not affect other endpoints', async () => {
  const { server, fail } = await startFaulty()

  await fail({ endpoint: 'calls.getSummary', status: 500 })

  expect((await createGroup(server.url)).status).toBe(200)
})

test("affects every endpoint with *, and responds with the status's code", async () => {
  const { server, fail } = await startFaulty()

  await fail({ endpoint: '*', status: 500, headers: { 'x-cause': 'fault' } })
  const response = await createGroup(server.url)

  expect(response.status).toBe(500)
  expect(response.headers.get('x-cause')).toBe('fault')
  expect(await response.json()).toMatchObject({ statusCode: 500, code: 'internal_error' })
})

test.each([
  [{ malformed: true }, 200, 'application/json; charset=utf-8', '{"success":true,'],
  [{ html: true }, 502, 'text/html; charset=utf-8', '<!doctype html>'],
  [{ html: true, status: 200 }, 200, 'text/html; charset=utf-8', '<!doctype html>'],
  [{ body: '' }, 200, 'text/plain', ''],
  [{ offContract: true }, 200, 'application/json; charset=utf-8', '{"ok":1}'],
])('responds with the body of the fault %j', async (fault, status, type, start) => {
  const { server, fail } = await startFaulty()

  await fail(fault)
  const response = await createGroup(server.url)

  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe(type)
  expect((await response.text()).startsWith(start)).toBe(true)
})

test('resets the connection before the group is created', async () => {
  const { server, fail } = await startFaulty()

  await fail({ reset: true })

  await expect(createGroup(server.url, { groupId: 'a' })).rejects.toThrow('fetch failed')
  expect(await server.service.groups.find('acme', 'a')).toBeUndefined()
})

test('resets the connection after the group is created, so that the caller cannot know', async () => {
  const { server, fail } = await startFaulty()

  await fail({ reset: true, carriedOut: true })

  await expect(createGroup(server.url, { groupId: 'a' })).rejects.toThrow('fetch failed')
  expect(await server.service.groups.find('acme', 'a')).toBeDefined()
})

test.each([
  ['', 0],
  [' although its head was late', 40],
])('ends the connection in the middle of the response%s', async (_, blockedMs) => {
  const { server, fail } = await startFaulty()

  await fail({ truncated: true })
  // The adapter waits for a timer before it sends the head.
  const setTimer = globalThis.setTimeout
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((...timer) => {
    const startedAt = performance.now()
    while (performance.now() < startedAt + blockedMs);
    return setTimer(...timer)
  })
  onTestFinished(() => spy.mockRestore())
  const response = await createGroup(server.url, { groupId: 'a' })

  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow('terminated')
  expect(await server.service.groups.find('acme', 'a')).toBeDefined()
})

test('waits before it responds', async () => {
  const { server, fail } = await startFaulty()

  await fail({ latencyMs: 60 })
  const startedAt = performance.now()
  const { status } = await createGroup(server.url)

  expect(status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59)
})

test('lists the faults that have hits left, and removes them', async () => {
  const { server, fail } = await startFaulty()
  await fail({ status: 500, times: 3 })
  await createGroup(server.url)

  const listed = await control(server, 'GET /faults')
  const cleared = await control(server, 'DELETE /faults')

  expect(listed.body.items).toEqual([expect.objectContaining({ status: 500, remaining: 2 })])
  expect(cleared.status).toBe(204)
  expect((await createGroup(server.url)).status).toBe(200)
})

test.each([
  ['a fault in which nothing goes wrong', {}, /needs something that goes wrong/],
  ['two faults of one response', { reset: true, html: true }, /only one of/],
  ['an unknown field', { latency: 5 }, /latency/],
])('rejects %s', async (_what, fault, message) => {
  const { fail } = await startFaulty()

  const { status, body } = await fail(fault)

  expect(status).toBe(400)
  expect(body.message).toMatch(message)
})
