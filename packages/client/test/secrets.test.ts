import { inspect } from 'node:util'
import { type Auth, type ClientOptions, createClient, isWabakitError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { testClock } from './clock.ts'
import { apiKey, clientOf, group, rejectionOf, summary } from './fixtures.ts'
import { json, refusedUrl, startService, startSockets } from './loopback.ts'

/** Everything that could be printed of a value, at any depth, hidden and symbol fields included. */
const everything = (value: unknown): string => {
  const seen = new Set<unknown>()
  const texts: string[] = []
  const visit = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part)
    if ((typeof part !== 'object' && typeof part !== 'function') || part === null || seen.has(part)) return
    seen.add(part)
    if (part instanceof Headers) texts.push(...[...part].flat())
    for (const name of Reflect.ownKeys(part)) {
      texts.push(String(name))
      visit(Reflect.get(part, name))
    }
  }
  visit(value)
  const options = { depth: Infinity, showHidden: true, getters: true }
  return [...texts, String(value), JSON.stringify(value), inspect(value, options), inspect(value)].join('\n')
}

const encodings = [
  apiKey,
  encodeURIComponent(apiKey),
  apiKey.replaceAll('/', '\\/'),
  apiKey.replaceAll('+', '\\u002B'),
  apiKey.replaceAll('+', '&#43;'),
  apiKey.toUpperCase(),
]

const holdsKey = (text: string) => encodings.filter((form) => text.includes(form))

it('sends the raw key in Authorization, and any header, scheme or function instead', async () => {
  const service = await startService((response) => json(response, 404, {}))
  const sent = async (auth?: Auth) => {
    await rejectionOf(clientOf(service.url, { auth }).calls.getSummary('c'))
    const { authorization, 'x-public-api-key': own } = service.requests.at(-1)?.headers ?? {}
    return { authorization, own }
  }
  expect(await sent()).toEqual({ authorization: apiKey })
  expect(await sent({ header: 'x-public-api-key' })).toEqual({ own: apiKey })
  expect(await sent({ header: 'Authorization', scheme: 'Bearer' })).toEqual({
    authorization: `Bearer ${apiKey}`,
  })
  expect(await sent((headers, key) => headers.set('x-public-api-key', `k=${key}`))).toEqual({
    own: `k=${apiKey}`,
  })
  expect(await sent(async (headers) => headers.set('authorization', 'async'))).toEqual({
    authorization: 'async',
  })
})

it('hands an auth function the key without the line break of its file', async () => {
  const service = await startService((response) => json(response, 404, {}))
  const auth: Auth = (headers, key) => headers.set('authorization', `Key <${key}>`)
  await rejectionOf(clientOf(service.url, { auth, apiKey: `${apiKey}\r\n` }).calls.getSummary('c'))
  expect(service.requests[0]?.headers.authorization).toBe(`Key <${apiKey}>`)
})

it('asks the auth function before every attempt, so that keys can rotate', async () => {
  const service = await startService((response) => json(response, 503, {}))
  let number = 0
  const auth = async (headers: Headers) => headers.set('authorization', `key-${++number}`)
  await rejectionOf(clientOf(service.url, { auth, clock: testClock() }).calls.getSummary('c'))
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['key-1', 'key-2', 'key-3'])
})

it('rejects with the own error of an auth function, sends nothing and does not repeat', async () => {
  const service = await startService((response) => json(response, 200, {}))
  const reason = new Error('vault is sealed')
  let calls = 0
  const auth = () => {
    calls += 1
    throw reason
  }
  expect(await rejectionOf(clientOf(service.url, { auth }).groups.create(group))).toBe(reason)
  expect(service.sockets.size).toBe(0)
  expect(calls).toBe(1)
})

it('keeps the key out of the client, its options errors and its validation errors', async () => {
  const client = clientOf('https://a.example')
  expect(holdsKey(everything(client))).toEqual([])
  expect(
    holdsKey(everything(await rejectionOf(client.groups.create({ wabaNumber: '', subject: '' })))),
  ).toEqual([])
  for (const options of [{ apiKey: `${apiKey}\n${apiKey}` }, { headers: { 'x-api-key': `${apiKey}\0` } }]) {
    try {
      createClient({ baseUrl: 'https://a.example', apiKey, ...options })
      throw new Error('accepted')
    } catch (error) {
      expect(isWabakitError(error)).toBe(true)
      expect(holdsKey(everything(error))).toEqual([])
    }
  }
})

const bearer = { header: 'Authorization', scheme: 'Bearer' }
const own = (headers: Headers) => headers.set('x-signature', `sig ${apiKey}`)
const forms: [string, ClientOptions][] = [
  ['as the key', {}],
  ['with the line break of its file', { apiKey: `${apiKey}\n` }],
  ['with a scheme', { auth: bearer }],
  ['by a function that knows it alone', { apiKey: undefined, auth: own }],
  ['as a header of the user', { apiKey: 'another-key', headers: { 'x-api-token': apiKey } }],
]

it.each(forms)(
  'keeps a key that was given %s out of every error, log line and hook, though servers echo it',
  async (_, options) => {
    const printed: unknown[] = []
    const note = (...values: unknown[]) => void printed.push(...values)
    const observed: ClientOptions = {
      ...options,
      clock: testClock(),
      logger: { debug: note },
      hooks: { afterError: ({ error }) => note(error), beforeRetry: ({ error }) => note(error) },
    }
    const echo = encodings.join(' ')
    const escaped = JSON.stringify({
      message: [echo, apiKey],
      code: apiKey,
      issues: [{ path: apiKey, message: echo }],
    })
    const echoing = (status: number, body: string) =>
      startService((response, request) => {
        const headers = {
          'x-request-id': apiKey,
          'retry-after': '0',
          location: `/?key=${encodeURIComponent(apiKey)}`,
        }
        response.writeHead(status, {
          ...headers,
          'set-cookie': [`a=${request.headers.authorization}`, apiKey],
        })
        response.end(body)
      })
    const services = [
      ...(await Promise.all([400, 401, 429, 503, 302].map((status) => echoing(status, escaped)))),
      await echoing(200, escaped),
      await echoing(200, `<p>${echo}</p>`),
      await echoing(500, `<p>${echo}</p>`),
      await startSockets((socket) => socket.once('data', () => socket.end(`${echo}\r\n\r\n`))),
      await startSockets((socket) =>
        socket.once('data', () =>
          socket.end(`HTTP/1.1 400 No\r\ncontent-length: 999\r\n\r\n${apiKey.slice(0, -3)}`),
        ),
      ),
      { url: await refusedUrl() },
    ]
    for (const { url } of services) {
      const client = clientOf(url, observed)
      const fetching = clientOf(url, {
        ...observed,
        // A fetch of the user's may put the whole request on its error.
        fetch: (request) =>
          Promise.reject(Object.assign(new TypeError(`no ${apiKey}`), { request, code: apiKey })),
      })
      for (const { groups, calls } of [client, fetching]) {
        note(await rejectionOf(groups.create(group)), await rejectionOf(calls.getSummary('c')))
        note(await rejectionOf(calls.waitForSummary('c', { maxWaitMs: 5_000 })))
      }
    }
    expect(printed.length).toBeGreaterThan(60)
    for (const value of printed) {
      expect(holdsKey(everything(value))).toEqual([])
      if (value instanceof Error) expect(everything(value)).not.toContain(apiKey.slice(0, -3))
    }
  },
)

it('masks the key at the place where the body was cut, and keeps the rest', async () => {
  const service = await startService((response) => {
    response.writeHead(400)
    response.end('x'.repeat(65_536 - 10) + apiKey)
  })
  const error = await rejectionOf(clientOf(service.url).groups.create(group))
  expect(Reflect.get(Object(error), 'body')).toBe(`${'x'.repeat(65_536 - 10)}[redacted]`)
})

it('does not take an ordinary word for a short key, nor touch data', async () => {
  const service = await startService((response, request) =>
    request.method === 'POST'
      ? json(response, 400, { message: 'keys matter, key key1 (key)', code: 'invalid_subject' })
      : json(response, 200, { callId: apiKey, summary }),
  )
  expect(await rejectionOf(clientOf(service.url, { apiKey: 'key' }).groups.create(group))).toMatchObject({
    code: 'invalid_subject',
    message: expect.stringContaining('keys matter, [redacted] key1 ([redacted])'),
  })
  expect((await clientOf(service.url).calls.getSummary('c')).callId).toBe(apiKey)
})

it('keeps the cause of a failure as it is where it holds no secret', async () => {
  class ProxyError extends Error {
    readonly code = 'PROXY_DOWN'
  }
  const cause = new ProxyError('no way out')
  const client = clientOf('https://a.example', { fetch: () => Promise.reject(cause), retry: { limit: 0 } })
  expect(await rejectionOf(client.calls.getSummary('c'))).toMatchObject({ name: 'ConnectionError', cause })
  const error = await rejectionOf(client.calls.getSummary('c'))
  expect((error as Error).cause).toBe(cause)
})
