import { expect, it } from 'vitest'
import { wasNeverSent } from './failure.ts'

const createFetchError = (cause: unknown) => new TypeError('fetch failed', { cause })
const createError = (fields: object, message = '') => Object.assign(new Error(message), fields)

it.each([
  ['Node, refused', createFetchError(createError({ code: 'ECONNREFUSED', syscall: 'connect' }))],
  ['Node, unknown host', createFetchError(createError({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))],
  ['Node, resolver down', createFetchError(createError({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }))],
  ['Node, no route', createFetchError(createError({ code: 'EHOSTUNREACH', syscall: 'connect' }))],
  ['Node, connect timed out', createFetchError(createError({ code: 'UND_ERR_CONNECT_TIMEOUT' }))],
  ['Node, untrusted certificate', createFetchError(createError({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))],
  ['Node, revoked certificate', createFetchError(createError({ code: 'CERT_REVOKED' }))],
  [
    'Node, every address refused',
    createFetchError(
      new AggregateError([createError({ code: 'ECONNREFUSED' }), createError({ syscall: 'connect' })]),
    ),
  ],
  ['Node, forbidden port', createFetchError(new Error('bad port'))],
  ['Bun 1.4, refused', createError({ code: 'ECONNREFUSED' }, 'ECONNREFUSED: Unable to connect.')],
  ['Bun 1.3, refused', createError({ code: 'ConnectionRefused' }, 'Unable to connect.')],
  [
    'Bun 1.0, unknown host',
    createError({ code: 'FailedToOpenSocket' }, 'Was there a typo in the url or port?'),
  ],
  [
    'Deno 2.9',
    createFetchError(
      new Error('error sending request for url (http://a/): client error (Connect): tcp connect error: …'),
    ),
  ],
  [
    'Deno 2.0',
    new TypeError('error sending request for url (http://a/): client error (Connect): dns error: …'),
  ],
])('recognizes a request that never left: %s', (_, error) => {
  expect(wasNeverSent(error)).toBe(true)
})

it.each([
  ['Node, reset', createFetchError(createError({ code: 'ECONNRESET', syscall: 'read' }))],
  [
    'Node, client certificate required, which TLS 1.3 reports after the request',
    createFetchError(createError({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' })),
  ],
  ['Node, closed', createFetchError(createError({ code: 'UND_ERR_SOCKET' }))],
  ['Node, broken pipe', createFetchError(createError({ code: 'EPIPE', syscall: 'write' }))],
  ['Node, no route while reading', createFetchError(createError({ code: 'EHOSTUNREACH', syscall: 'read' }))],
  [
    'Node, one address refused and one reset',
    createFetchError(
      new AggregateError([createError({ code: 'ECONNREFUSED' }), createError({ code: 'ECONNRESET' })]),
    ),
  ],
  ['Node, no addresses', createFetchError(new AggregateError([]))],
  ['Bun, closed', createError({ code: 'ECONNRESET' })],
  [
    'Deno, closed',
    createFetchError(
      new Error(
        'error sending request from 127.0.0.1:1 for http://a/ (127.0.0.1:2): client error (SendRequest): …',
      ),
    ),
  ],
  [
    'Deno, a URL that imitates its message',
    createFetchError(
      new Error(
        'error sending request for url (http://a/?client error (Connect)): client error (SendRequest)',
      ),
    ),
  ],
  ['a browser', new TypeError('Failed to fetch')],
  ['workerd', new Error('Network connection lost.')],
  ['a text', 'ECONNREFUSED'],
  ['nothing', undefined],
])('is not sure about %s', (_, error) => {
  expect(wasNeverSent(error)).toBe(false)
})

/** Nests an error in this many others. */
const nest = (error: unknown, levels: number): unknown =>
  levels === 0 ? error : createFetchError(nest(error, levels - 1))

it('follows four causes, and no more', () => {
  const refused = createError({ code: 'ECONNREFUSED' })
  expect(wasNeverSent(nest(refused, 4))).toBe(true)
  expect(wasNeverSent(nest(refused, 5))).toBe(false)
})

it('terminates if an error is its own cause, or one of its own errors', () => {
  const error = new Error('x')
  error.cause = error
  expect(wasNeverSent(error)).toBe(false)
  const several = new AggregateError([])
  several.errors.push(several)
  expect(wasNeverSent(several)).toBe(false)
})
