import { inspect } from 'node:util'
import { type Auth, type ClientOptions, createClient, isWabakitError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { apiKey, createTestClient, getRejection, group, summary } from './fixtures.ts'
import { getRefusedUrl, sendJson, startService, startSockets } from './loopback.ts'

/** Prints all parts of a value, at any depth, including hidden and symbol properties. */
const printEverything = (value: unknown): string => {
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
  apiKey.replaceAll('+', '\\u{2b}'),
  apiKey.replaceAll('/', '\\x2f'),
  encodeURIComponent(encodeURIComponent(apiKey)),
  apiKey.replaceAll('+', '&amp;#43;'),
  apiKey.split('').join(' '),
  apiKey.slice(0, Math.ceil(apiKey.length / 2)),
  Buffer.from(apiKey).toString('hex'),
  btoa(apiKey),
]

const findKey = (text: string) => encodings.filter((form) => text.includes(form))

it('passes the key to an auth function without its trailing line break', async () => {
  const service = await startService((response) => sendJson(response, 404, {}))
  const auth: Auth = (headers, key) => headers.set('authorization', `Key <${key}>`)
  await getRejection(createTestClient(service.url, { auth, apiKey: `${apiKey}\r\n` }).calls.getSummary('c'))
  expect(service.requests[0]?.headers.authorization).toBe(`Key <${apiKey}>`)
})

it('calls the auth function before every attempt, so that keys can rotate', async () => {
  const service = await startService((response) => sendJson(response, 503, {}))
  let number = 0
  const auth = async (headers: Headers) => headers.set('authorization', `key-${++number}`)
  await getRejection(createTestClient(service.url, { auth, clock: createTestClock() }).calls.getSummary('c'))
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['key-1', 'key-2', 'key-3'])
})

it("rejects with an auth function's own error, sends nothing and does not retry", async () => {
  const service = await startService((response) => sendJson(response, 200, {}))
  const reason = new Error('vault is sealed')
  let calls = 0
  const auth = () => {
    calls += 1
    throw reason
  }
  expect(await getRejection(createTestClient(service.url, { auth }).groups.create(group))).toBe(reason)
  expect(service.sockets.size).toBe(0)
  expect(calls).toBe(1)
})

it('keeps the key out of the client and of validation errors', async () => {
  const client = createTestClient('https://a.example')
  expect(findKey(printEverything(client))).toEqual([])
  expect(
    findKey(printEverything(await getRejection(client.groups.create({ wabaNumber: '', subject: '' })))),
  ).toEqual([])
  for (const options of [{ apiKey: `${apiKey}\n${apiKey}` }, { headers: { 'x-api-key': `${apiKey}\0` } }]) {
    try {
      createClient({ baseUrl: 'https://a.example', apiKey, ...options })
      throw new Error('accepted')
    } catch (error) {
      expect(isWabakitError(error)).toBe(true)
      expect(findKey(printEverything(error))).toEqual([])
    }
  }
})

const bearer = { header: 'Authorization', scheme: 'Bearer' }
const own = (headers: Headers) => headers.set('x-signature', `sig ${apiKey}`)
const forms: [string, ClientOptions][] = [
  ['as apiKey', {}],
  ['with a trailing line break', { apiKey: `${apiKey}\n` }],
  ['with a scheme', { auth: bearer }],
  ['only by an auth function', { apiKey: undefined, auth: own }],
  ['as a custom header', { apiKey: 'another-key', headers: { 'x-api-token': apiKey } }],
]

it.each(forms)(
  'keeps a key that is passed %s out of errors, log lines and hooks, even if servers echo it',
  async (_, options) => {
    const printed: unknown[] = []
    const record = (...values: unknown[]) => void printed.push(...values)
    const observed: ClientOptions = {
      ...options,
      clock: createTestClock(),
      logger: { debug: record },
      hooks: { afterError: ({ error }) => record(error), beforeRetry: ({ error }) => record(error) },
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
      { url: await getRefusedUrl() },
    ]
    for (const { url } of services) {
      const client = createTestClient(url, observed)
      const fetching = createTestClient(url, {
        ...observed,
        // A custom fetch may add the whole request to its error.
        fetch: (url, init) =>
          Promise.reject(Object.assign(new TypeError(`no ${apiKey}`), { url, init, code: apiKey })),
      })
      for (const { groups, calls } of [client, fetching]) {
        record(await getRejection(groups.create(group)), await getRejection(calls.getSummary('c')))
        record(await getRejection(calls.waitForSummary('c', { maxWaitMs: 5_000 })))
      }
    }
    expect(printed.length).toBeGreaterThan(60)
    for (const value of printed) {
      expect(findKey(printEverything(value))).toEqual([])
      if (value instanceof Error) expect(printEverything(value)).not.toContain(apiKey.slice(0, -3))
    }
  },
)

it('masks a key that the body limit cuts off, and keeps the rest', async () => {
  const service = await startService((response) => {
    response.writeHead(400)
    response.end('x'.repeat(65_536 - 10) + apiKey)
  })
  const error = await getRejection(createTestClient(service.url).groups.create(group))
  expect(Reflect.get(Object(error), 'body')).toBe(`${'x'.repeat(65_536 - 10)}[redacted]`)
})

it('masks neither words that contain a short key nor data', async () => {
  const service = await startService((response, request) =>
    request.method === 'POST'
      ? sendJson(response, 400, { message: 'keys matter, key key1 (key)', code: 'invalid_subject' })
      : sendJson(response, 200, { callId: apiKey, summary }),
  )
  expect(
    await getRejection(createTestClient(service.url, { apiKey: 'key' }).groups.create(group)),
  ).toMatchObject({
    code: 'invalid_subject',
    message: expect.stringContaining('keys matter, [redacted] key1 ([redacted])'),
  })
  expect((await createTestClient(service.url).calls.getSummary(apiKey)).callId).toBe(apiKey)
})

it('has a copy of the cause with its names, messages, codes and stacks, without secrets', async () => {
  const inner = Object.assign(new RangeError('inner'), { code: 7, request: { key: apiKey } })
  const cause = Object.assign(new TypeError(`no ${apiKey}`, { cause: inner }), { code: `E_${apiKey}` })
  const getCause = async (reason: unknown) => {
    const fetch = () => Promise.reject(reason)
    const client = createTestClient('https://a.example', { fetch, retry: { limit: 0 } })
    const error = await getRejection(client.calls.getSummary('c'))
    expect(error).toMatchObject({ name: 'ConnectionError' })
    return (error as Error).cause
  }

  expect(await getCause(cause)).toMatchObject({
    name: 'TypeError',
    message: 'no [redacted]',
    code: 'E_[redacted]',
    stack: cause.stack?.replaceAll(apiKey, '[redacted]'),
    cause: { name: 'RangeError', message: 'inner', code: '7', stack: inner.stack },
  })
  expect(Object(await getCause(inner))).not.toHaveProperty('request')
  expect(await getCause(`no ${apiKey}`)).toBe('no [redacted]')
  expect(await getCause({ request: apiKey })).toBeUndefined()
})

it('masks nothing in errors of a client without a key', async () => {
  const service = await startService((response) => sendJson(response, 400, { message: 'no' }))
  const client = createTestClient(service.url, { apiKey: undefined, auth: () => {} })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    message: `POST ${service.url}/whatsapp/wa-group/create returned 400: no`,
    body: '{"message":"no"}',
  })
})
