import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * The defect of a request.
 *
 * - `method`: it is not POST; a receiver responds 405.
 * - `target`: the request line names no path on this server; a receiver responds 400.
 * - `syntax`: Node's parser rejects it or closes the connection, and no handler is called.
 * - `body`: its body breaks off; Node responds 400 unless the handler has responded before.
 * - `nothing`: unusual, but valid; it is treated like any other request.
 */
export type Fault = 'method' | 'target' | 'syntax' | 'body' | 'nothing'

/** A request that a stranger can send to any HTTP server. */
export type MalformedRequest = {
  /** A description for a test's name. */
  readonly name: string
  /** Its defect. */
  readonly fault: Fault
  /** Its bytes, one per character (Latin-1). */
  readonly bytes: string
}

const write = (line: string, headers: readonly string[] = [], body = ''): string =>
  `${[line, 'Host: h', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`

const ask = (fault: Fault, line: string, ...rest: [headers?: string[], body?: string]): MalformedRequest => ({
  name: [line.length > 60 ? `${line.slice(0, 57)}…` : line, ...(rest[0] ?? [])].join(' / '),
  fault,
  bytes: write(line, ...rest),
})

/** Requests that threw, or might throw, while a Fetch `Request` is built from them. */
export const malformedRequests: readonly MalformedRequest[] = [
  // Methods other than POST. Fetch forbids some of them, or their bodies. CONNECT and TRACK never reach a handler.
  ask('method', 'TRACE / HTTP/1.1'),
  ask('method', 'TRACE //u:p@h/ HTTP/1.1'),
  ask('method', 'TRACE / HTTP/1.1', ['Content-Length: 2'], '{}'),
  ask('method', 'GET / HTTP/1.1', ['Content-Length: 2'], '{}'),
  ask('method', 'HEAD / HTTP/1.1'),
  ask('method', 'PROPFIND / HTTP/1.1'),
  ask('method', 'QUERY / HTTP/1.1'),
  ask('method', 'OPTIONS * HTTP/1.1'),
  ask('method', 'M-SEARCH * HTTP/1.1'),
  ask('method', 'GET //u:p@h/ HTTP/1.1'),
  ask('method', 'GET http://u:p@h/ HTTP/1.1'),
  ask('method', 'GET / HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket']),
  ask('method', 'GET / HTTP/1.1', [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
  ]),
  ask('syntax', 'CONNECT h:80 HTTP/1.1'),
  ask('syntax', 'CONNECT / HTTP/1.1'),
  ask('syntax', 'TRACK / HTTP/1.1'),
  ask('syntax', 'BREW / HTTP/1.1'),
  ask('syntax', 'post / HTTP/1.1'),

  // Absolute form: credentials make `new Request()` throw, a broken host makes `new URL()` throw.
  ask('nothing', 'POST http://h/ HTTP/1.1'),
  ask('nothing', 'POST http://u:p@h/ HTTP/1.1'),
  ask('nothing', 'POST https://u@h:443/ HTTP/1.1'),
  ask('target', 'POST http:// HTTP/1.1'),
  ask('target', 'GET http://[ HTTP/1.1'),
  ask('target', 'POST http://[ HTTP/1.1'),
  ask('target', 'POST http://[::1 HTTP/1.1'),
  ask('target', 'POST http://h:99999/ HTTP/1.1'),
  ask('target', 'POST http://%/ HTTP/1.1'),
  ask('target', 'POST ftp://h/ HTTP/1.1'),
  ask('target', 'POST file:///etc/passwd HTTP/1.1'),
  ask('target', 'POST javascript://x HTTP/1.1'),

  // Origin form: a path that starts with two slashes does not name another server.
  ask('nothing', 'POST * HTTP/1.1'),
  ask('nothing', 'POST // HTTP/1.1'),
  ask('nothing', 'POST //u:p@h/ HTTP/1.1'),
  ask('nothing', 'POST //h:99999/ HTTP/1.1'),
  ask('nothing', 'POST ///// HTTP/1.1'),
  ask('nothing', 'POST /\\\\u:p@h\\ HTTP/1.1'),
  ask('nothing', 'POST /% HTTP/1.1'),
  ask('nothing', 'POST /%00 HTTP/1.1'),
  ask('nothing', 'POST /%ff HTTP/1.1'),
  ask('nothing', 'POST /#fragment HTTP/1.1'),
  ask('nothing', 'POST /../.. HTTP/1.1'),
  ask('nothing', 'POST /?%&=#? HTTP/1.1'),
  ask('nothing', `POST /${'a'.repeat(15_000)} HTTP/1.1`),
  ask('syntax', `POST /${'a'.repeat(20_000)} HTTP/1.1`),
  ask('syntax', 'POST h:80 HTTP/1.1'),
  ask('syntax', 'POST webhooks HTTP/1.1'),
  ask('syntax', 'POST ?a=b HTTP/1.1'),
  ask('syntax', 'POST \\\\h\\ HTTP/1.1'),
  ask('syntax', 'POST /\xff HTTP/1.1'),
  ask('syntax', 'POST /\x7f HTTP/1.1'),
  ask('syntax', 'POST /\0 HTTP/1.1'),

  // Headers, versions and bodies.
  ask('nothing', 'POST / HTTP/1.0'),
  ask('nothing', 'POST / HTTP/1.1', ['Host: u:p@[']),
  ask('nothing', 'POST / HTTP/1.1', ['x-latin-1: \xff\xfe']),
  ask('nothing', 'POST / HTTP/1.1', ['__proto__: x', 'constructor: y']),
  ask('nothing', 'POST / HTTP/1.1', ['content-type: a', 'set-cookie: a', 'set-cookie: b']),
  ask('nothing', 'POST / HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket']),
  ask('body', 'POST / HTTP/1.1', ['Transfer-Encoding: chunked'], 'ZZ\r\n'),
  ask('syntax', 'POST / HTTP/1.1', ['x-control: a\x01b']),
  ask('syntax', 'POST / HTTP/1.1', [': x']),
  ask('syntax', 'POST / HTTP/1.1', ['Expect: tea', 'Content-Length: 2'], '{}'),
  ask('syntax', 'POST / HTTP/1.1', ['Transfer-Encoding: chunked', 'Content-Length: 2'], '{}'),
  { name: 'no Host header', fault: 'syntax', bytes: 'POST / HTTP/1.1\r\nConnection: close\r\n\r\n' },
  { name: 'the preface of HTTP/2', fault: 'syntax', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { name: 'the start of a TLS handshake', fault: 'syntax', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc' },
]

/**
 * Sends bytes to a port of this machine and resolves to everything that comes back until the connection is closed; an
 * empty string when it is closed without a response.
 *
 * @throws Error when the connection is still open after 5 s: the request got no response.
 */
export const sendBytes = async (port: number, bytes: string): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  let silent = false
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  // A reset is one way of closing a connection.
  socket.on('error', () => {})
  const timer = setTimeout(() => {
    silent = true
    socket.destroy()
  }, 5_000)
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  clearTimeout(timer)
  if (silent) throw new Error(`No response after ${JSON.stringify(received)}: ${bytes}`)
  return received
}

/** The status of a response as {@link sendBytes} resolves to it; `undefined` when there is none. */
export const getStatus = (received: string): number | undefined => {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]
  return status === undefined ? undefined : Number(status)
}
