import { describe, expect, test } from 'vitest'
import { createReportHider, findLeaks, hideInExchange } from './leaks.ts'
import { decodeKey, signDelivery } from './payloads.ts'
import type { Exchange } from './send.ts'

const secret = `whsec_${Buffer.from('a key of 27 bytes?>?>?>?>?>').toString('base64')}`
const token = '7D1f/2c9ab+04e5f60'
const settings = {
  url: new URL('http://127.0.0.1/webhooks?token=a%2Fb%2Bc%2Fd0123456789'),
  urlToken: { parameter: 'token', encoded: 'a%2Fb%2Bc%2Fd0123456789', decoded: 'a/b+c/d0123456789' },
  secret,
  previousSecret: undefined,
  credentials: { authorization: `Bearer ${token}` },
}

const respond = (body: string, request: Partial<Exchange['request']> = {}): Exchange => ({
  request: { method: 'POST', headers: {}, body: Buffer.from('{}'), query: '', ...request },
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body,
  error: undefined,
  timedOut: false,
  connected: true,
  durationMs: 1,
})

const notations: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'JSON of PHP': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON of .NET': (text) => text.replaceAll('+', '\\u002B'),
  'a URL': encodeURIComponent,
  HTML: (text) => text.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;'),
  'lower case': (text) => text.toLowerCase(),
  hex: (text) => Buffer.from(text).toString('hex'),
  base64: (text) => Buffer.from(`key=${text}`).toString('base64'),
}

describe.each(Object.entries(notations))('a response in which %s contains', (_, write) => {
  test.each([
    ['the secret', secret],
    ['the token of a header', token],
    ['the token of the URL', settings.urlToken.decoded],
  ])('%s is a leak', (_, value) => {
    expect(findLeaks(respond(`expected ${write(value)}`), settings)).toContain('a secret, in a response 401')
  })

  test.each([
    ['in a header', { headers: { authorization: `Bearer ${token}` } }],
    ['in a query', { query: `?token=${encodeURIComponent(token)}` }],
    ['in the body', { body: Buffer.from(token) }],
  ])('what was sent %s is an echo', (_, request) => {
    expect(findLeaks(respond(`got ${write(token)}`, request), settings)).toEqual([])
  })

  test('the correct signature of a forgery is a leak', () => {
    const [id, timestamp, body] = ['msg_1', '1700000000', Buffer.from('{}')]
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,x' }
    const signature = signDelivery(decodeKey(secret), { id, timestamp, body })
    expect(findLeaks(respond(`not ${write(signature)}`, { headers, body }), settings)).toEqual([
      'the correct signature of a forged delivery, in a response 401',
    ])
  })
})

test('an echo of the URL of a genuine request is no leak', () => {
  const request = { query: undefined }
  expect(findLeaks(respond(`Route ${settings.url.search} not found`, request), settings)).toEqual([])
  expect(findLeaks(respond(`Wrong token: ${settings.urlToken.decoded}`, request), settings)).toEqual([])
})

test.each(['Send a secret that begins with whsec_', 'Bearer', 'Not found', 'Bearer token is required'])(
  'the response "%s" is no leak',
  (text) => {
    const words = { ...settings, credentials: { 'x-token': 'notfound', authorization: 'Bearer tokenis' } }
    expect(findLeaks(respond(text), words)).toEqual([])
  },
)

test('an exchange that is shown has no secret in its query', () => {
  const exchange = respond('', { query: `?tenant=acme&secret=${encodeURIComponent(secret)}` })
  const { request } = hideInExchange(exchange, createReportHider(settings))
  expect(request.query).toBe('?tenant=acme&secret=[redacted]')
})
