import {
  type ClientOptions,
  createClient,
  type Fetch,
  type FetchInit,
  type RequestOptions,
  ValidationError,
  type WaitOptions,
} from '@wabakit/client'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

const baseUrl = 'https://api.example.com'

const catchError = (options: object): unknown => {
  try {
    createClient(options as ClientOptions)
  } catch (error) {
    return error
  }
  throw new Error('accepted')
}

it.each([
  ['https://api.example.com'],
  ['https://api.example.com/prefix/'],
  [new URL('https://api.example.com')],
  ['http://localhost:3000'],
  ['http://api.localhost'],
  ['http://127.0.0.1:1'],
  ['http://127.8.9.10'],
  ['http://[::1]:8080/x'],
])('accepts the base URL %s', (baseUrl) => {
  expect(createClient({ baseUrl, apiKey })).toHaveProperty('groups.create')
})

it.each([
  ['api.example.com', 'absolute'],
  ['/relative', 'absolute'],
  ['', 'absolute'],
  ['ftp://api.example.com', 'absolute'],
  ['javascript:alert(1)', 'absolute'],
  ['http://api.example.com', 'must use https'],
  ['http://127.0.0.1.example.com', 'must use https'],
  ['http://localhost.example.com', 'must use https'],
  ['http://10.0.0.1', 'must use https'],
  ['xhttp://api.example.com', 'absolute'],
  ['https://user:hunter22@api.example.com', 'user name, password'],
  ['https://user@api.example.com', 'user name, password'],
  ['https://:hunter22@api.example.com', 'user name, password'],
  ['https://api.example.com?x=1', 'query'],
  ['https://api.example.com#x', 'query or fragment'],
])('rejects the base URL %s', (baseUrl, words) => {
  const error = catchError({ baseUrl, apiKey })
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: 'baseUrl' }] })
  expect((error as Error).message).toContain(words)
  expect((error as Error).message).not.toContain('hunter22')
})

it.each([' ', 'hunter22\nx-own: 1'])(
  'rejects the invalid key %j of the environment without quoting it',
  (key) => {
    vi.stubEnv('WABAKIT_API_KEY', key)
    const error = catchError({ baseUrl: 'https://a.example' })
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: 'apiKey' }] })
    expect(String(error)).not.toContain('hunter22')
  },
)

it.each([
  ['has no process', undefined],
  ['has a process without env', {}],
  [
    'denies access to its environment',
    {
      get env() {
        throw new Error('NotCapable: run again with --allow-env')
      },
    },
  ],
])('reports the missing key and base URL if the runtime %s', (_, process) => {
  vi.stubGlobal('process', process)
  const error = catchError({})
  vi.unstubAllGlobals()
  expect(error).toMatchObject({
    issues: [
      {
        path: 'apiKey',
        message: 'apiKey is missing: pass it, or set the environment variable WABAKIT_API_KEY',
      },
      {
        path: 'baseUrl',
        message: 'baseUrl is missing: pass it, or set the environment variable WABAKIT_BASE_URL',
      },
    ],
  })
})

it.each([
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: ' \n' }],
  ['apiKey', { apiKey: 'one\ntwo' }],
  ['apiKey', { apiKey: 'ключ' }],
  ['apiKey', { apiKey: 7 }],
  ['auth.header', { auth: { header: 'not a header' } }],
  ['auth.header', { auth: { header: 7 } }],
  ['auth.scheme', { auth: { header: 'Authorization', scheme: 'Bearer ' } }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['timeoutMs', { timeoutMs: '15s' }],
  ['timeoutMs', { timeoutMs: '15000' }],
  ['totalTimeoutMs', { totalTimeoutMs: -1 }],
  ['retry.limit', { retry: { limit: 1.5 } }],
  ['retry.limit', { retry: { limit: -1 } }],
  ['retry.backoffMs', { retry: { backoffMs: 500 } }],
  ['retry.backoffMs', { retry: { backoffMs: [500] } }],
  ['retry.backoffMs', { retry: { backoffMs: [1, 2, 3] } }],
  ['retry.backoffMs', { retry: { backoffMs: [1, Infinity] } }],
  ['retry.maxRetryAfterMs', { retry: { maxRetryAfterMs: -1 } }],
  ['headers', { headers: { 'not a header': 'x' } }],
  ['headers', { headers: { 'x-a': 'one\ntwo' } }],
  ['headers', { headers: { 'x-a': 'valid', 'x-b': 'one\ntwo' } }],
  ['headers', { headers: new Headers() }],
])('rejects an invalid %s', (path, options) => {
  const error = catchError({ baseUrl, apiKey, ...options })
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({ issues: [{ path }] })
})

it('accepts the extremes: no retries, no waits, no limits', () => {
  const retry = { limit: 0, backoffMs: [0, 0], maxRetryAfterMs: 0 } as const
  expect(
    createClient({ baseUrl, apiKey, retry, timeoutMs: Infinity, totalTimeoutMs: Infinity }),
  ).toBeDefined()
  expect(createClient({ baseUrl, auth: () => {} })).toBeDefined()
})

it('lists all invalid options at once', () => {
  expect(catchError({ baseUrl: 'x', timeoutMs: 0, retry: { limit: -1 } })).toMatchObject({
    message: expect.stringMatching(
      /^Invalid input to createClient: timeoutMs .*; retry\.limit .*; apiKey .*; baseUrl /,
    ),
  })
})

it.each([
  ['timeoutMs', { timeoutMs: 0 }],
  ['headers', { headers: { a: 'b\nc' } }],
])('rejects an invalid %s for one call before a request is sent', async (path, options) => {
  const service = await startService((response) => sendJson(response, 404, {}))
  const error = await getRejection(createTestClient(service.url).calls.getSummary('c', options as object))
  expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path }] })
  const write = await getRejection(createTestClient(service.url).groups.create(group, options as object))
  expect(write).toMatchObject({ name: 'ValidationError', issues: [{ path }] })
  expect(service.sockets.size).toBe(0)
})

it('sends a User-Agent, unless the headers have one', async () => {
  const service = await startService((response) => sendJson(response, 404, {}))
  const call = async (options: ClientOptions) => {
    await getRejection(createTestClient(service.url, options).calls.getSummary('c'))
    return service.requests.at(-1)?.headers['user-agent']
  }
  expect(await call({})).toMatch(/^wabakit\/\d+\.\d+\.\d+\S* Node\.js\/\d+$/)
  expect(await call({ headers: { 'User-Agent': 'shop/1' } })).toBe('shop/1')
  vi.stubGlobal('navigator', undefined)
  expect(await call({})).toMatch(/^wabakit\/\d+\.\d+\.\d+\S*$/)
})

it('does not replace the User-Agent of a browser', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' })
  const sent: FetchInit[] = []
  const fetch: Fetch = async (_url, init) => {
    sent.push(init)
    return new Response(null, { status: 404 })
  }
  await getRejection(createTestClient(baseUrl, { fetch }).calls.getSummary('c'))
  expect(sent[0]?.headers).not.toHaveProperty('user-agent')
})

it('uses the global fetch at the time of the call', async () => {
  const client = createTestClient('https://api.example.com')
  vi.stubGlobal('fetch', async () => Response.json({ success: true, groupId: 'patched' }))
  expect(await client.groups.create({ wabaNumber: '1', subject: 's' })).toMatchObject({ groupId: 'patched' })
})

it('uses the defaults for options of a call that are undefined', async () => {
  const unset: Record<keyof RequestOptions, undefined> = {
    signal: undefined,
    timeoutMs: undefined,
    headers: undefined,
  }
  const unsetWait: Record<keyof WaitOptions, undefined> = {
    ...unset,
    maxWaitMs: undefined,
    intervalMs: undefined,
    notFoundGraceMs: undefined,
    events: undefined,
  }
  const clock = createTestClock()
  const service = await startService((response, { method }) =>
    sendJson(response, method === 'GET' ? 202 : 404, {}),
  )
  const client = createTestClient(service.url, { clock, random: () => 0, headers: { 'x-shop': 'one' } })
  expect(await getRejection(client.calls.getSummary('c', unset))).toMatchObject({ status: 202 })
  expect(await getRejection(client.groups.create(group, unset))).toMatchObject({ status: 404 })
  expect(await getRejection(client.calls.waitForSummary('c', unsetWait))).toMatchObject({
    limit: 'maxWaitMs',
    timeoutMs: 120_000,
  })
  expect(clock.sleeps).toEqual(Array.from({ length: 60 }, () => 2_000))
  expect(service.requests.every(({ headers }) => headers['x-shop'] === 'one')).toBe(true)
})
