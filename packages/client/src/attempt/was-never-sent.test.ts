import { expect, it } from 'vitest'
import { wasNeverSent } from './was-never-sent.ts'

const failed = (cause: unknown) => new TypeError('fetch failed', { cause })
const coded = (fields: object, message = '') => Object.assign(new Error(message), fields)

it.each([
  ['Node, refused', failed(coded({ code: 'ECONNREFUSED', syscall: 'connect' }))],
  ['Node, unknown host', failed(coded({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))],
  ['Node, resolver down', failed(coded({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }))],
  ['Node, no route', failed(coded({ code: 'EHOSTUNREACH', syscall: 'connect' }))],
  ['Node, connect timed out', failed(coded({ code: 'UND_ERR_CONNECT_TIMEOUT' }))],
  ['Node, untrusted certificate', failed(coded({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }))],
  [
    'Node, every address refused',
    failed(new AggregateError([coded({ code: 'ECONNREFUSED' }), coded({ syscall: 'connect' })])),
  ],
  ['Node, forbidden port', failed(new Error('bad port'))],
  ['Bun 1.4, refused', coded({ code: 'ECONNREFUSED' }, 'ECONNREFUSED: Unable to connect.')],
  ['Bun 1.3, refused', coded({ code: 'ConnectionRefused' }, 'Unable to connect.')],
  ['Bun 1.0, unknown host', coded({ code: 'FailedToOpenSocket' }, 'Was there a typo in the url or port?')],
  [
    'Deno 2.9',
    failed(
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
  ['Node, reset', failed(coded({ code: 'ECONNRESET', syscall: 'read' }))],
  ['Node, closed', failed(coded({ code: 'UND_ERR_SOCKET' }))],
  ['Node, broken pipe', failed(coded({ code: 'EPIPE', syscall: 'write' }))],
  ['Node, no route while reading', failed(coded({ code: 'EHOSTUNREACH', syscall: 'read' }))],
  [
    'Node, one address refused and one reset',
    failed(new AggregateError([coded({ code: 'ECONNREFUSED' }), coded({ code: 'ECONNRESET' })])),
  ],
  ['Node, no addresses', failed(new AggregateError([]))],
  ['Bun, closed', coded({ code: 'ECONNRESET' })],
  [
    'Deno, closed',
    failed(
      new Error(
        'error sending request from 127.0.0.1:1 for http://a/ (127.0.0.1:2): client error (SendRequest): …',
      ),
    ),
  ],
  [
    'Deno, a URL that imitates its message',
    failed(
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

it('ends if an error is its own cause', () => {
  const error = new Error('x')
  error.cause = error
  expect(wasNeverSent(error)).toBe(false)
})
