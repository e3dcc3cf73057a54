import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import { RequestRefusedError } from '@wabakit/core'
import { createParserRefusal, formatRefusal, namesOneHost, toClientNetwork } from '@wabakit/core/hosting'
import { isBlockedPort } from '@wabakit/wire'
import type { ServerConfig } from '../config/server-config.ts'
import { toAddressError, toListenError } from './listen-error.ts'
import type { RequestHandler } from './request-handler.ts'

type HttpServerOptions = {
  readonly settings: ServerConfig
  /** A socket that listens already. */
  readonly fd?: number | undefined
  readonly handler: RequestHandler
  readonly createRequestId: () => string
}

/** Targets whose path `URL` would not change. */
const usualTarget = /^\/[\w\-/]*(?:\?[^#]*)?$/
const usualHost = /^[a-z0-9._-]+(?::[1-5]?\d{1,4})?$/

/**
 * Segments that change the path when it is resolved. A proxy that allows only some paths has checked the path
 * as it was sent, so `/x/../_wabakit/info` must not turn into another path here.
 */
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * Converts a request's target to origin form (`/path?query`), without credentials.
 *
 * @returns false when the target is neither a path nor an http(s) URL, or has dot segments or a backslash, or when the
 * host is invalid, missing in HTTP/1.1, or stated twice. A target in absolute form must name the host of the Host header (RFC 9112, section 3.2):
 * otherwise, a request to one host could pass the checks for another.
 */
const normalizeTarget = (incoming: IncomingMessage): boolean => {
  const { url = '', headers } = incoming
  if (!namesOneHost(incoming)) return false
  const knownHost = headers.host || 'localhost'
  if (usualTarget.test(url) && usualHost.test(knownHost)) return true
  const isPath = url.startsWith('/')
  const address = isPath ? `http://${knownHost}${url}` : url
  if (/^[^?]*\\/.test(url) || !/^https?:/i.test(address) || !URL.canParse(address)) return false
  const [path = ''] = (isPath ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')).split(/[?#]/, 1)
  if (dotSegment.test(path)) return false
  const parsed = new URL(address)
  if (parsed.hostname !== knownHost.replace(/:\d+$/, '').toLowerCase()) return false
  incoming.url = parsed.pathname + parsed.search
  return true
}

/** Maximum time for a request head to arrive while the server stops, in milliseconds. */
const headersGraceMs = 500

/** Maximum number of connections that the system accepts before this process does. */
const backlog = 1_024

/** Time for a request to arrive on an open connection while the server stops, in milliseconds. */
const arrivalMs = 50

/** Maximum fraction of the connections that one address (IPv6: /64 network) may use, unless there is a proxy. */
const networkShare = 0.5

/**
 * Maximum number of requests on one connection that wait for responses. Clients hardly ever pipeline
 * requests, but node:http handles all requests that it has read at once: thousands of them would delay every
 * other client.
 */
const maxPipelined = 64

const getPort = (server: Server): number => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.')
  return address.port
}

/** Creates a node:http server that lets running requests finish when it stops. */
export const createHttpServer = ({ settings, fd, handler, createRequestId }: HttpServerOptions) => {
  const { host, port, maxConnections, requestTimeoutMs, trustProxy } = settings
  /** The responses that each connection waits for, in order. */
  const pipelines = new Map<Duplex, ServerResponse[]>()
  let closing = false
  let draining = false
  /**
   * Returns whether a request gets a response. Otherwise, its connection is closed: after the previous responses, or at
   * once if the head of the last one has been sent without `connection: close`.
   */
  const enterPipeline = (socket: Socket, response: ServerResponse): boolean => {
    const pipeline = pipelines.get(socket) ?? []
    const last = pipeline.at(-1)
    // The client never gets a response that would follow one with `connection: close`, so its request must not run.
    if (last?.shouldKeepAlive === false) return false
    if (pipeline.length < maxPipelined) {
      pipeline.push(response)
      return true
    }
    if (last?.headersSent === true) socket.destroy()
    else if (last !== undefined) last.shouldKeepAlive = false
    return false
  }

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    if (!enterPipeline(request.socket, response)) return
    if (closing || draining) response.shouldKeepAlive = false
    response.on('close', () => {
      const pipeline = pipelines.get(request.socket)
      pipeline?.splice(pipeline.indexOf(response), 1)
    })
    if (!normalizeTarget(request)) request.url = '*'
    void handler.handle(request, response)
  }
  /** Refuses a request for which node:http has no response object, and closes its connection. */
  const refuse = (refusal: RequestRefusedError, socket: Duplex): void => {
    socket.on('error', () => {})
    const pending = pipelines.get(socket) ?? []
    const last = pending.at(-1)
    if (last?.req.complete === true) {
      // The invalid data follows a valid request. A refusal now could be mistaken for the response to that one.
      last.shouldKeepAlive = false
      return
    }
    if (!socket.writable || pending.length > 1 || last?.headersSent === true) {
      socket.destroy()
      return
    }
    const requestId = createRequestId()
    handler.sendLast(socket, formatRefusal(refusal, requestId))
    handler.record({ status: refusal.status, requestId })
  }
  // The handler refuses requests without a Host header, so that the response has the same format as other errors.
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(10_000, requestTimeoutMs),
      // Most proxies close idle connections sooner. Otherwise, the server could close a connection that a proxy
      // is about to use.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    respond,
  )
  server.maxConnections = maxConnections
  server.maxHeadersCount = 100
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(createParserRefusal(error.code), socket),
  )
  server.on('connect', (_request, socket) => {
    const message = 'This server is not a proxy: it does not support CONNECT.'
    refuse(
      new RequestRefusedError('method_not_allowed', message, { headers: { allow: 'GET, POST' } }),
      socket,
    )
  })
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', respond)
  const perNetwork = new Map<string, number>()
  server.on('connection', (socket) => {
    pipelines.set(socket, [])
    const network = toClientNetwork(socket.remoteAddress ?? '')
    const count = (perNetwork.get(network) ?? 0) + 1
    perNetwork.set(network, count)
    socket.once('close', () => {
      pipelines.delete(socket)
      const left = (perNetwork.get(network) ?? 1) - 1
      if (left === 0) perNetwork.delete(network)
      else perNetwork.set(network, left)
    })
    // Behind a proxy, all connections come from its network, which would be limited like a single client.
    if (trustProxy === 0 && count > Math.ceil(maxConnections * networkShare)) socket.destroy()
  })

  /** Accepts the connections that wait in the queue of the listening socket. Closing the socket would reset them. */
  const acceptWaiting = async (): Promise<void> => {
    let accepted = true
    const onConnection = (): void => {
      accepted = true
    }
    server.on('connection', onConnection)
    // Each turn of the event loop accepts one connection. Their number is limited, so that new connections cannot put the stop
    // off forever.
    for (let turn = 0; accepted && turn < backlog; turn++) {
      accepted = false
      // Waits for two turns, because the first connection may come a turn later.
      await setImmediate()
      await setImmediate()
    }
    server.off('connection', onConnection)
  }

  const closeAfterResponses = (): void => {
    for (const response of [...pipelines.values()].flat()) response.shouldKeepAlive = false
  }

  const closeWithoutRequest = (): void => {
    for (const [socket, { length }] of pipelines) if (length === 0) socket.destroy()
  }

  /** Runs after the event loop has read its sockets, so a request that arrived before a late timer is not lost. */
  const afterReading = (close: () => void) => (): void => void setImmediate().then(close)

  return {
    /** Starts listening. Resolves to the base URL, or rejects with a ConfigError if the host or port cannot be used. */
    listen: (): Promise<string> =>
      new Promise((resolve, reject) => {
        const onError = (error: Error): void => reject(toListenError(error, settings))
        server.once('error', onError)
        const bind = (): void => {
          server.listen(fd === undefined ? { host, port, backlog } : { fd })
        }
        const onListening = (): void => {
          const problem = fd === undefined ? undefined : toAddressError(server.address(), settings)
          if (problem !== undefined) {
            server.close(() => reject(problem))
            return
          }
          // The system may be configured to choose from all ports above 1023.
          if (isBlockedPort(getPort(server))) {
            server.close(bind)
            return
          }
          server.off('error', onError).off('listening', onListening)
          resolve(`http://${host.includes(':') ? `[${host}]` : host}:${getPort(server)}`)
        }
        server.on('listening', onListening)
        bind()
      }),
    /** From now on, closes each connection after its response. */
    drain: (): void => {
      draining = true
      closeAfterResponses()
    },
    /** Lets running requests finish, and closes the remaining connections after `graceMs` milliseconds. */
    close: async (graceMs: number): Promise<void> => {
      await acceptWaiting()
      return new Promise((resolve) => {
        closing = true
        closeAfterResponses()
        const timers = [
          // Closes idle connections repeatedly: a response from before the stop may have kept its connection alive.
          setInterval(
            afterReading(() => server.closeIdleConnections()),
            arrivalMs,
          ),
          setTimeout(afterReading(closeWithoutRequest), headersGraceMs),
          setTimeout(() => server.closeAllConnections(), graceMs),
        ]
        // `close` would also close connections whose request is on its way.
        server.closeIdleConnections = () => {}
        server.close(() => {
          for (const timer of timers) clearTimeout(timer)
          resolve()
        })
        Reflect.deleteProperty(server, 'closeIdleConnections')
      })
    },
  }
}
