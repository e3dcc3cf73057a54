import { type AnyRequest, type ClientOptions, createClient } from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const info = { method: 'GET', path: '/whatsapp/wa-group/info' } as const
const clock = () => ({ clock: createTestClock(), random: () => 0 })

it('sends a request below the base URL with the key, and returns the JSON as received', async () => {
  const service = await startService((response) => sendJson(response, 200, { groupId: 'g', any: [1] }))
  const client = createTestClient(`${service.url}/public/`)
  const query = { groupId: 'a b&c/é', limit: 2, isActive: true, none: undefined }
  expect(await client.request({ ...info, query })).toEqual({ groupId: 'g', any: [1] })
  expect(service.requests[0]).toMatchObject({
    method: 'GET',
    url: '/public/whatsapp/wa-group/info?groupId=a%20b%26c%2F%C3%A9&limit=2&isActive=true',
    body: '',
    headers: { authorization: apiKey, 'x-public-api-key': apiKey },
  })
})

it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('sends a %s with a JSON body', async (method) => {
  const service = await startService((response) => sendJson(response, 200, null))
  const client = createTestClient(service.url)
  const body = { wabaNumber: '1', subject: 'x' }
  expect(await client.request({ method, path: '/a', body }, { headers: { 'x-one': '1' } })).toBeNull()
  const [request] = service.requests
  expect(request).toMatchObject({ method, headers: { 'content-type': 'application/json', 'x-one': '1' } })
  expect(JSON.parse(request?.body ?? '')).toEqual(body)
})

it('returns any 2xx: undefined if its body is empty, and a 202 as it is', async () => {
  const service = await startService((response, _, number) =>
    number === 1 ? response.writeHead(204).end() : sendJson(response, 202, { state: 'started' }),
  )
  const client = createTestClient(service.url)
  const { data, response } = await client.request({ method: 'DELETE', path: '/a' }).withResponse()
  expect([data, response.status]).toEqual([undefined, 204])
  expect(await client.request(info)).toEqual({ state: 'started' })
})

it('retries a GET, and nothing else, not even after 429 or with writes: always', async () => {
  for (const status of [429, 500, 503]) {
    const service = await startService((response, _, number) =>
      sendJson(response, number === 1 ? status : 200, { code: 'storage_unavailable' }),
    )
    const client = createTestClient(service.url, { ...clock(), retry: { writes: 'always' } })
    await client.request(info)
    expect(service.requests).toHaveLength(2)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    for (const status of [429, 503]) {
      const service = await startService((response) =>
        sendJson(response, status, { code: 'storage_unavailable' }),
      )
      const client = createTestClient(service.url, { ...clock(), retry: { writes: 'always' } })
      const error = await getRejection(client.request({ method, path: '/a' }))
      expect(error).toMatchObject({ status, method, path: '/a' })
      expect(service.requests).toHaveLength(1)
    }
  }
})

it.each([
  [400, 'BadRequestError'],
  [401, 'AuthenticationError'],
  [403, 'PermissionDeniedError'],
  [404, 'NotFoundError'],
  [422, 'UnprocessableError'],
  [302, 'ResponseFormatError'],
])('rejects a %i as a %s', async (status, name) => {
  const service = await startService((response) => sendJson(response, status, { message: 'no' }))
  const error = await getRejection(createTestClient(service.url).request({ ...info, method: 'POST' }))
  expect(error).toMatchObject({ name, status })
})

it('rejects a 200 that is not JSON, and a cut off response, as what they are', async () => {
  const service = await startService((response, _, number) =>
    number === 1
      ? response.end('<html>')
      : response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
  )
  const client = createTestClient(service.url, { retry: { limit: 0 } })
  const post = { method: 'POST', path: '/a' } as const
  expect(await getRejection(client.request(post))).toMatchObject({ name: 'ResponseFormatError' })
  expect(await getRejection(client.request(post))).toMatchObject({ isComplete: false })
})

it.each([
  '',
  'a',
  'https://evil.example/a',
  '//evil.example/a',
  '/\\evil.example',
  '\\\\evil.example',
  '/..',
  '/../admin',
  '/a/../../admin',
  '/a/..',
  '/./a',
  '/%2e%2e/admin',
  '/.%2E/admin',
  '/%252e%252e/admin',
  '/%25252e./admin',
  '/a%2f..%2f..%2fadmin',
  '/a%252f%252e%252e%252fadmin',
  '/..%5cadmin',
  '/..;/admin',
  '/..;x=1/admin',
  '/..\\admin',
  '/.\t./admin',
  '/a b',
  '/a\n',
  '/a?b=c',
  '/a#b',
  '/é',
  7,
])('refuses the path %j, which leaves the base URL or is ambiguous', async (path) => {
  const service = await startService((response) => sendJson(response, 200, {}))
  const request = { method: 'GET', path } as AnyRequest
  const error = await getRejection(createTestClient(`${service.url}/public`).request(request))
  expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path: 'path' }] })
  expect(service.sockets.size).toBe(0)
})

it.each(['/', '/a/', '/a..b/...', '/.well-known/x', '/a%2eb', '/a%2fb', '/100%25', '/a:b@c,d;e=f', '/a//b'])(
  'sends the path %s unchanged',
  async (path) => {
    const service = await startService((response) => sendJson(response, 200, {}))
    await createTestClient(`${service.url}/public`).request({ method: 'GET', path })
    expect(service.requests[0]?.url).toBe(`/public${path}`)
  },
)

it.each([
  ['method', { method: 'HEAD', path: '/a' }],
  ['method', { method: 'get', path: '/a' }],
  ['body', { ...info, body: {} }],
])('refuses an invalid %s before a request is sent', async (path, request) => {
  const client = createTestClient('https://a.example', { fetch: () => Promise.reject(new Error('sent')) })
  const error = await getRejection(client.request(request as AnyRequest))
  expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path }] })
})

it('refuses a request that is not an object, and an invalid option', async () => {
  const client = createClient({ baseUrl: 'https://a.example', apiKey })
  expect(await getRejection(client.request(undefined as never))).toMatchObject({ name: 'ValidationError' })
  const error = await getRejection(client.request(info, { timeoutMs: 0 }))
  expect(error).toMatchObject({ issues: [{ path: 'timeoutMs' }] })
})

it('runs hooks, and keeps the key out of errors and log lines, even if a caller puts it into the query', async () => {
  const lines: string[] = []
  const endpoints: string[] = []
  const options: ClientOptions = {
    logger: { debug: (fields) => void lines.push(JSON.stringify(fields)) },
    hooks: { beforeRequest: ({ request }) => void endpoints.push(request.endpoint) },
  }
  const service = await startService((response, request) => sendJson(response, 400, { message: request.url }))
  const client = createTestClient(service.url, options)
  const error = await getRejection(client.request({ ...info, query: { token: apiKey } }))
  const printed = [String(error), JSON.stringify(error), ...lines].join()
  expect(printed).toContain('token=[redacted]')
  for (const form of [apiKey, encodeURIComponent(apiKey)]) expect(printed).not.toContain(form)
  expect(endpoints).toEqual(['request'])
})

it('ends at the time limit of an attempt', async () => {
  const service = await startService(() => {})
  const client = createTestClient(service.url)
  const error = await getRejection(client.request({ method: 'POST', path: '/a' }, { timeoutMs: 50 }))
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs', neverSent: false })
})
