import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { startServer } from '../src/index.ts'
import { control, start } from './fixture.ts'

const token = 'a-token-of-some-length'

/** A request with headers that fetch does not let anybody set. */
const get = (url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    httpRequest(`${url}/_wabakit/organizations`, { headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode ?? 0, body })
    })
      .on('error', reject)
      .end()
  })

test("lets this machine's own callers in without a token when none is configured", async () => {
  expect((await control(await start(), 'GET /organizations')).status).toBe(200)
})

test.each([
  ['none', {}],
  ['a wrong one', { authorization: 'Bearer wrong-wrong-wrong-wrong' }],
  ['the beginning of it', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ['it without Bearer', { authorization: token }],
])('refuses a request with %s when a token is configured', async (_what, headers) => {
  const server = await start({ controlToken: token })

  const { status, body, headers: answered } = await control(server, 'GET /organizations', undefined, headers)

  expect({ status, code: body.code }).toEqual({ status: 401, code: 'token_required' })
  expect(answered.get('www-authenticate')).toBe('Bearer')
})

test('lets the token in, under whatever name the server is reached', async () => {
  const { url } = await start({ controlToken: token })

  expect((await get(url, { authorization: `bearer ${token}`, host: 'wabakit:4100' })).status).toBe(200)
})

test.each([
  'attacker.example',
  'attacker.example:4100',
  '127.0.0.1.attacker.example',
  '10.0.0.1',
  '[2001:db8::1]',
])('refuses the host %s: a name that was made to lead to this machine', async (host) => {
  const { url } = await start()

  const { status, body } = await get(url, { host })

  expect({ status, code: JSON.parse(body).code }).toEqual({ status: 403, code: 'host_not_allowed' })
})

test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.1.2.3:80', '[::1]:4100', 'app.localhost'])(
  'takes the host %s, which is this machine',
  async (host) => {
    const { url } = await start()

    expect((await get(url, { host })).status).toBe(200)
  },
)

test.each([
  ['another origin', { origin: 'https://attacker.example' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['an opaque origin', { origin: 'null' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
])('refuses a page of %s, even with the token', async (_what, headers) => {
  const { url } = await start({ controlToken: token })

  const { status, body } = await get(url, { authorization: `Bearer ${token}`, ...headers })

  expect({ status, code: JSON.parse(body).code }).toEqual({ status: 403, code: 'origin_not_allowed' })
})

test('takes its own pages, also under its public name', async () => {
  const own = await start()
  const named = await start({ controlToken: token, publicUrl: 'https://sandbox.example.com' })
  const authorization = `Bearer ${token}`

  expect((await get(own.url, { origin: own.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await get(named.url, { origin: 'https://sandbox.example.com', authorization })).status).toBe(200)
})

test.each([
  ['another address', { host: '0.0.0.0' }],
  ['a proxy', { trustProxy: 1 }],
  ['a public name', { publicUrl: 'https://sandbox.example.com' }],
])('does not start without a token where %s lets others in', async (_what, config) => {
  await expect(startServer({ port: 0, database: ':memory:', ...config })).rejects.toThrow(
    /^controlToken \(WABAKIT_CONTROL_TOKEN\) is required, because .* Set WABAKIT_CONTROL_TOKEN/,
  )
})

test('starts on another address with a token', async () => {
  const server = await start({ host: '0.0.0.0', controlToken: token })
  const url = server.url.replace('0.0.0.0', '127.0.0.1')

  expect((await control({ url }, 'GET /organizations')).status).toBe(401)
})
