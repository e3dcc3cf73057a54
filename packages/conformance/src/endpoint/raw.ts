import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { resolver } from '@wabakit/webhooks/names'

/** Opens a connection to the endpoint's host, for bytes that no HTTP client would send like this. */
const openSocket = (url: URL): Socket => {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  // TLS does not allow an IP address as the server's name (RFC 6066, section 3).
  const servername = isIP(host) === 0 ? host : ''
  const closed = new AbortController()
  const target = { host, port, lookup: resolver.createLookup(closed.signal) }
  const socket = url.protocol === 'https:' ? connectTls({ ...target, servername }) : connectTcp(target)
  // The endpoint may close the connection at any time.
  socket.on('error', () => {})
  socket.once('close', () => closed.abort())
  return socket
}

/** Formats the head of a POST request with this body. */
export const formatHead = (
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: Uint8Array },
): string => {
  const fields = { host: url.host, ...headers, 'content-length': body.length }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Opens a connection, writes bytes, and leaves it open. Resolves once the bytes are written or writing has failed. */
export const openAndWrite = (url: URL, bytes: Uint8Array): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = openSocket(url)
    socket.once('close', () => resolve(socket))
    socket.write(bytes, () => resolve(socket))
  })

/** Writes bytes to a new connection and resolves to the start of the response, which is empty if none arrived in time. */
export const sendBytes = async (url: URL, bytes: Uint8Array, timeoutMs: number): Promise<string> => {
  const socket = openSocket(url)
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, timeoutMs)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    if (received.includes('\r\n') || received.length > 4_096) resolve(undefined)
  })
  socket.once('close', resolve)
  socket.write(bytes)
  await promise
  clearTimeout(timer)
  socket.destroy()
  return received
}
