import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { control, createGroup, start } from './fixture.ts'

const token = 'a-token-of-some-length'

/** Sends a request with headers that fetch does not allow. */
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

test.each([
  ['none', {}],
  ['a wrong one', { authorization: 'Bearer wrong-wrong-wrong-wrong' }],
  ['the beginning of it', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ['it and one character more', { authorization: `Bearer ${token}x` }],
  ['one whose first character differs', { authorization: `Bearer A${token.slice(1)}` }],
  ['one whose last character differs', { authorization: `Bearer ${token.slice(0, -1)}H` }],
  ['it in capitals', { authorization: `Bearer ${token.toUpperCase()}` }],
  ['an empty one', { authorization: 'Bearer ' }],
  ['it without Bearer', { authorization: token }],
])('refuses a request with %s when a token is configured', async (_what, headers) => {
  const server = await start({ controlToken: token })

  const { status, body, headers: answered } = await control(server, 'GET /organizations', undefined, headers)

  expect({ status, code: body.code }).toEqual({ status: 401, code: 'token_required' })
  expect(answered.get('www-authenticate')).toBe('Bearer')
})

test('accepts the token under any host name', async () => {
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

test('accepts requests from its own pages, also under its public URL', async () => {
  const own = await start()
  const named = await start({ controlToken: token, publicUrl: 'https://sandbox.example.com' })
  const authorization = `Bearer ${token}`

  expect((await get(own.url, { origin: own.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await get(named.url, { origin: 'https://sandbox.example.com', authorization })).status).toBe(200)
})

test('limits wrong tokens by address, then also refuses the right one, and counts them with wrong keys', async () => {
  const { url } = await start({ controlToken: token, rateLimitPerAddress: 2 })
  const ask = (sent: string) =>
    control({ url }, 'GET /organizations', undefined, { authorization: `Bearer ${sent}` })
  expect((await ask(token)).status).toBe(200)
  expect((await createGroup(url, {}, { authorization: 'wk_wrong_0123456789' })).status).toBe(401)
  const wrong = await ask('wrong')
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('ratelimit')).toMatch(/^"ip";r=0;t=\d+$/)

  for (const sent of ['wrong', token]) {
    const { status, body, headers } = await ask(sent)
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(30)
    expect(headers.get('ratelimit-policy')).toBe('"ip";q=2;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"ip";r=0;t=\d+$/)
  }
})

test('distinguishes callers of the control API by X-Forwarded-For behind a proxy', async () => {
  const { url } = await start({ controlToken: token, rateLimitPerAddress: 1, trustProxy: 1 })
  const ask = async (address: string) =>
    (await control({ url }, 'GET /organizations', undefined, { 'x-forwarded-for': address })).status

  expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.2')]).toEqual([401, 429, 401])
})
