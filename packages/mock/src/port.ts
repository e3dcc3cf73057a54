import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionInfo, RequestRefusedError } from '@wabakit/core'
import {
  controlBodyMaxBytes,
  createParserRefusal,
  formatRefusal,
  namesOneHost,
  refuseRequest,
  streamBody,
  takeBody,
} from '@wabakit/core/hosting'
import { createLinger, isBlockedPort, receiveRequest } from '@wabakit/wire'
import { afterRealTime } from './time/timers.ts'

export { servePage } from './control/serve-page.ts'
export { toTracePath, writeTrace } from './trace/write-trace.ts'

/** Responds to a request. Rejects with `RequestRefusedError` to refuse it, and with another error to reset the connection. */
type Handler = (request: Request, connection: ConnectionInfo) => Promise<Response>

export type OpenPort = {
  /** The URL without a trailing slash. */
  readonly url: string
  close(): Promise<void>
}

const createRequestId = (): string => `req_${randomUUID().replaceAll('-', '').slice(0, 26)}`

/** Converts a request target to a URL of this server, without credentials. A path may start with two slashes. */
const toUrl = (target: string, origin: string): string => {
  const url = target.startsWith('/') ? origin + target : target
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new RequestRefusedError('malformed_request', 'The request target is invalid.')
  const { pathname, search } = new URL(url)
  return origin + pathname + search
}

const toRequest = (incoming: IncomingMessage, origin: string, signal: AbortSignal): Request => {
  const { method = 'GET', url = '/' } = incoming
  if (!namesOneHost(incoming))
    throw new RequestRefusedError('malformed_request', 'The request must have one Host header.')
  const address = toUrl(url, origin)
  // Fetch does not support requests with this method.
  if (method === 'TRACE') {
    const message = 'This server does not support TRACE.'
    throw new RequestRefusedError('method_not_allowed', message, { headers: { allow: 'GET, POST' } })
  }
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const readBody = takeBody(incoming, hasBody ? controlBodyMaxBytes : 0)
  const body = hasBody ? { body: streamBody(readBody), duplex: 'half' as const } : {}
  return receiveRequest(address, { method, headers, signal, ...body })
}

/** Sends a response. If the client disconnects, cancels its body, which may be a live stream without an end. */
const write = async ({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(status, Object.fromEntries(headers))
  // In Deno, `pipeline` would send nothing of a body that has not ended.
  const reader = body?.getReader()
  outgoing.once('close', () => reader?.cancel().catch(() => {}))
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    outgoing.write(part.value)
  outgoing.end()
}

/** Maximum time in which requests can still be answered when the mock is closed, in milliseconds. */
const closingMs = 250

/** Where to listen. Port 0 takes a free one. */
type Address = { readonly port: number; readonly host: string }

/** Listens until it is closed. */
export const listen = async (handle: Handler, { port, host }: Address): Promise<OpenPort> => {
  let origin = ''
  const responses = new Set<ServerResponse>()
  let onLastClosed = (): void => {}
  const linger = createLinger()
  /** Responds to a request that has no response object: one that the parser rejected, or CONNECT. */
  const refuseConnection = (refusal: RequestRefusedError, socket: Duplex): void => {
    socket.on('error', () => {})
    if (socket.writable) linger.sendLast(socket, formatRefusal(refusal, createRequestId()))
  }
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const hangUp = new AbortController()
    responses.add(response)
    response.once('close', () => {
      hangUp.abort()
      responses.delete(response)
      if (responses.size === 0) onLastClosed()
    })
    try {
      const { remoteAddress } = incoming.socket
      const answer = await handle(toRequest(incoming, origin, hangUp.signal), { remoteAddress })
      await write(await linger.hold(incoming, answer), response)
    } catch (error) {
      if (error instanceof RequestRefusedError) {
        const { status, headers, body } = refuseRequest(error, { requestId: createRequestId() })
        linger.send({ incoming, outgoing: response }, { status, headers, body })
        return
      }
      // For example, a fault resets the connection, the client has disconnected, or the mock is closed.
      incoming.socket.resetAndDestroy()
    }
  }
  const server = createServer({ requireHostHeader: false }, respond)
  server.on('checkExpectation', respond)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuseConnection(createParserRefusal(error.code), socket)
  })
  server.on('connect', (_incoming, socket) => {
    const message = 'This server is not a proxy: it does not support CONNECT.'
    const headers = { allow: 'GET, POST' }
    refuseConnection(new RequestRefusedError('method_not_allowed', message, { headers }), socket)
  })
  const bind = async (): Promise<number> => {
    server.listen(port, host)
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }
  let bound = await bind()
  // The system may be configured to choose from all ports above 1023.
  while (isBlockedPort(bound)) {
    server.close()
    await once(server, 'close')
    bound = await bind()
  }
  // A server that listens on all addresses also responds on this one.
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  origin = `http://${isIPv6(reached) ? `[${reached}]` : reached}:${bound}`
  return {
    url: origin,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      const cancel = afterRealTime(closingMs, () => server.closeAllConnections())
      onLastClosed = () => server.closeAllConnections()
      if (responses.size === 0) onLastClosed()
      await closed
      cancel()
    },
  }
}
