import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerConfig } from '../config/server-config.ts'
import { type ConnectionRefusalContext, createConnectionRefusal } from './refuse-connection.ts'

/** Limits of the connections, from the configuration; and what is done about requests that cannot be read. */
export type HttpServerOptions = Pick<ServerConfig, 'maxConnections' | 'requestTimeoutMs'> &
  Omit<ConnectionRefusalContext, 'running'>

/** A node:http server that can be stopped without breaking off answers. */
export type HttpServer = {
  /** Listens. Rejects when it cannot. */
  listen(address: { readonly host: string; readonly port: number }): Promise<AddressInfo>
  /**
   * Accepts nothing more, lets running requests finish, and closes what is left after the grace.
   *
   * @param graceMs - in milliseconds.
   */
  close(graceMs: number): Promise<void>
}

const limit = (server: Server, { maxConnections, requestTimeoutMs }: HttpServerOptions): void => {
  server.maxConnections = maxConnections
  server.requestTimeout = requestTimeoutMs
  server.headersTimeout = Math.min(10_000, requestTimeoutMs)
  server.maxHeadersCount = 100
  // A little longer than most proxies keep a connection, so that it is they who close it.
  server.keepAliveTimeout = 65_000
}

/** Makes the server; it does nothing until `listen`. */
export const createHttpServer = (listener: RequestListener, options: HttpServerOptions): HttpServer => {
  const running = new Set<ServerResponse>()
  let closing = false
  const respond: RequestListener = (request, response) => {
    running.add(response)
    if (closing) response.shouldKeepAlive = false
    response.once('close', () => {
      running.delete(response)
      // What was promised to be kept before the closing began.
      if (closing) server.closeIdleConnections()
    })
    listener(request, response)
  }
  // A request without a Host header is refused by the listener, in the form of every other error.
  const server = createServer(
    { maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    respond,
  )
  const refusal = createConnectionRefusal({ ...options, running })
  server.on('clientError', refusal.clientError)
  server.on('connect', (_request, socket) => refusal.connect(socket))
  // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', respond)
  limit(server, options)
  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port, backlog: 1_024 }, () => {
          server.off('error', reject)
          const address = server.address()
          if (address === null || typeof address === 'string')
            reject(new TypeError('The server has no port.'))
          else resolve(address)
        })
      }),
    close: (graceMs) =>
      new Promise((resolve) => {
        closing = true
        for (const response of running) response.shouldKeepAlive = false
        const timer = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
