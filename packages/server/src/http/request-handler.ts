import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@wabakit/contract'
import { type ApiRequest, type ApiResponse, type ReferenceServer, RequestRefusedError } from '@wabakit/core'
import {
  controlBodyMaxBytes,
  controlPath,
  findEndpoint,
  inspectorPath,
  type ReadBody,
  shortenPath,
  streamBody,
  takeBody,
  toErrorResponse,
  toApiRequest as toFetchedRequest,
} from '@wabakit/core/hosting'
import { type ApiFaults, respondWithFault } from '@wabakit/core/simulation'
import { createLinger } from '@wabakit/wire'
import type { Logger } from 'pino'
import type { ControlApi } from '../control/control-api.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Pages } from './pages.ts'

type RequestHandlerOptions = {
  /** The public API and the control API; `undefined` in a process that only delivers. */
  readonly api:
    | (Pick<ReferenceServer, 'fetch' | 'respond'> & {
        readonly control: ControlApi
        readonly faults: ApiFaults | undefined
        /** Logs a request to which a fault or the imitation of a live service responded. */
        readonly logSent: (...described: Parameters<ReferenceServer['describeSent']>) => Promise<void>
        /** Set if `fetch` imitates a live service, which `respond` does not. */
        readonly isLive: boolean
        /** Set if the control API needs no token. */
        readonly isControlOpen: boolean
      })
    | undefined
  readonly pages: Pages
  readonly metrics: Pick<Metrics, 'requests' | 'cutConnections'>
  readonly log: Logger
  readonly createRequestId: () => string
  readonly trustProxy: number
  /** Receives unexpected errors, which responses do not reveal. */
  readonly onError: (error: unknown) => void
}

type ResponseFacts = {
  readonly status: number
  readonly requestId: string | null | undefined
  readonly method?: string | undefined
  readonly path?: string
  readonly durationMs?: number
}

const controlPrefix = `${controlPath}/`

const isControl = (path: string): boolean => path === controlPath || path.startsWith(controlPrefix)

const isBrowserAtRoot = ({ method, path, headers }: ApiRequest): boolean =>
  path === '/' && method === 'GET' && (headers.get('accept') ?? '').includes('text/html')

const getLabel = (path: string): string => findEndpoint(path) ?? (isControl(path) ? 'control' : 'other')

const getLevel = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

/** Maximum number of log lines per second about refused requests of the same status. */
const maxLinesPerSecond = 10

/**
 * Limits the log lines about refused requests, so that unauthenticated requests cannot fill the log.
 *
 * @returns a function that counts a request, and returns `true` if it must not be logged. A later line reports the
 * number of omitted requests.
 */
const createLineLimit = (log: Pick<Logger, 'info'>) => {
  const counts = new Map<number, number>()
  const reportSuppressed = (status: number): void => {
    const suppressed = (counts.get(status) ?? 0) - maxLinesPerSecond
    counts.delete(status)
    if (suppressed > 0) log.info({ status, count: suppressed }, 'further requests')
  }
  return (status: number): boolean => {
    const count = counts.get(status) ?? 0
    if (count === 0) setTimeout(reportSuppressed, 1_000, status).unref()
    counts.set(status, count + 1)
    return count >= maxLinesPerSecond
  }
}

/** An address in brackets, or an IPv4 address with a port: the forms of RFC 7239, section 6, in which proxies name a port. */
const withPort = /^\[(.+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/

/**
 * Returns the client's address. Each of the last `trustProxy` entries of `X-Forwarded-For` was written by a trusted
 * proxy and names its caller. Earlier entries can be forged and are ignored. The port of a client changes with each
 * connection, so it is left out. If the entry is missing, or is not an address (such as `unknown` or `_hidden`), returns the
 * address of the nearest proxy.
 */
export const getClientAddress = (
  incoming: Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<Socket, 'remoteAddress'> },
  trustProxy: number,
): string | undefined => {
  const { headers, socket } = incoming
  if (trustProxy === 0) return socket.remoteAddress
  // Node joins repeated headers of this name with commas.
  const entries = String(headers['x-forwarded-for'] ?? '').split(',')
  const entry = entries.at(-trustProxy)?.trim() ?? ''
  const [, ipv6, ipv4] = withPort.exec(entry) ?? []
  const address = ipv6 ?? ipv4 ?? entry
  return isIP(address) === 0 ? socket.remoteAddress : address
}

/** Returns a header, joining repeated values. `headers` would contain only the first of two `authorization` values. */
const findHeader = ({ rawHeaders }: IncomingMessage, name: string): string | null => {
  let found: string | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] ?? ''
    if (rawName.length !== name.length || rawName.toLowerCase() !== name) continue
    const value = rawHeaders[index + 1] ?? ''
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}

/**
 * Starts to read the body: at most as many bytes as the path supports, and none if the method has no body.
 */
const takeSupported = (incoming: IncomingMessage, path: string): ReadBody => {
  const { method, headers } = incoming
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined)
    return async () => new Uint8Array()
  const maxBytes = isControl(path) ? controlBodyMaxBytes : limits.requestBodyMaxBytes
  return takeBody(incoming, method === 'GET' || method === 'HEAD' ? 0 : maxBytes)
}

const toApiRequest = (incoming: IncomingMessage) => {
  const { method = '', url = '' } = incoming
  const queryStart = url.indexOf('?')
  const path = queryStart === -1 ? url : url.slice(0, queryStart)
  const readSupported = takeSupported(incoming, path)
  const request: ApiRequest = {
    method,
    path,
    query: url.slice(path.length),
    headers: { get: (name) => findHeader(incoming, name.toLowerCase()) },
    readBody: (maxBytes) => readSupported().then((bytes) => (bytes.length > maxBytes ? undefined : bytes)),
  }
  return { request, readSupported }
}

/** Creates a `Request` with the body that was read. The adapter's own request may not be a real `Request`. */
const withBody = (request: Request, readSupported: ReadBody): Request => {
  const { url, method, headers, signal } = request
  // `Request` refuses a body with GET and HEAD, and TRACE altogether.
  if (['GET', 'HEAD', 'TRACE'].includes(method)) return request
  const body = { body: streamBody(readSupported), duplex: 'half' as const }
  return new Request(url, { method, headers, signal, ...body })
}

/**
 * Resolves when the head of a response was sent, or never will be. Does not wait while the request is incomplete, because
 * `linger.hold` then needs the whole body of the response before the head is sent.
 */
const waitForHead = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  if (!incoming.complete) return
  do await nextTurn()
  while (!outgoing.headersSent && !outgoing.destroyed)
}

/** Loads the adapter for requests that need a `Response`. */
export const loadAdapter = () => import('@hono/node-server')

/** Creates the handler of all requests that a server receives. */
export const createRequestHandler = (options: RequestHandlerOptions) => {
  const { api, pages, metrics, log, createRequestId, trustProxy, onError } = options

  const linger = createLinger(() => metrics.cutConnections.inc())
  const limitLines = createLineLimit(log)

  const record = ({ status, requestId: id, method, path = '', durationMs = 0 }: ResponseFacts): void => {
    metrics.requests.observe({ endpoint: getLabel(path), status }, durationMs / 1_000)
    const level = getLevel(status)
    if (!log.isLevelEnabled(level) || (level === 'info' && limitLines(status))) return
    const shortPath = shortenPath(path) || undefined
    log[level]({ requestId: id, method, path: shortPath, status, ms: Math.round(durationMs) }, 'request')
  }

  const refuse = (error: unknown): ApiResponse => {
    const response = toErrorResponse(error, createRequestId())
    if (response.status === 500) onError(error)
    return response
  }

  const respond = (
    request: ApiRequest,
    remoteAddress: string | undefined,
  ): ApiResponse | Promise<ApiResponse> => {
    const { path } = request
    if (path === '*') {
      const message = 'The request target or the Host header is not valid.'
      return refuse(new RequestRefusedError('malformed_request', message))
    }
    const page = pages.get(path)
    if (page !== undefined) return page(request, remoteAddress).catch(refuse)
    if (api === undefined) {
      return refuse(new RequestRefusedError('route_not_found', 'This process only delivers webhooks.'))
    }
    if (api.isControlOpen && isBrowserAtRoot(request)) {
      // Relative, because a proxy may have removed a prefix from the path.
      const headers = { location: `${inspectorPath.slice(1)}/`, 'x-request-id': createRequestId() }
      return { status: 302, headers, body: '' }
    }
    return api.respond(request, { remoteAddress }).catch(refuse)
  }

  /**
   * Returns the handler of a request that needs a `Response`, and `undefined` for any other request. The control API streams
   * responses, faults truncate them, and the profile `live` rewrites them.
   */
  const findFetch = (
    { path }: ApiRequest,
    remoteAddress: string | undefined,
    { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  ) => {
    if (api === undefined || path === '*' || pages.has(path)) return undefined
    if (isControl(path)) return (request: Request) => api.control(request, remoteAddress)
    const endpoint = findEndpoint(path)
    const fault = api.faults?.take(endpoint)
    if (fault === undefined && !api.isLive) return undefined
    return async (request: Request) => {
      const startedAt = performance.now()
      let requestId: string | null = null
      const carryOut = async (): Promise<Response> => {
        const response = await api.fetch(request, { remoteAddress })
        requestId = response.headers.get('x-request-id')
        return response
      }
      const exchange = {
        endpoint,
        respond: carryOut,
        sleep: (ms: number) => sleep(ms, undefined, { ref: false }),
        flush: () => waitForHead(incoming, outgoing),
        reset: () => incoming.socket.destroy(),
        createRequestId,
      }
      const response = await (fault === undefined ? carryOut() : respondWithFault(fault, exchange))
      const isRead = !fault?.reset && !fault?.truncated
      const sent = {
        requestId: requestId ?? response.headers.get('x-request-id') ?? createRequestId(),
        durationMs: performance.now() - startedAt,
        status: fault?.reset ? null : response.status,
        requestBody: null,
        responseBody: (isRead && (await response.clone().text())) || null,
      }
      await api.logSent(toFetchedRequest(request), sent, { remoteAddress }).catch(onError)
      return response
    }
  }

  return {
    /** Counts and logs a response. */
    record,
    sendLast: linger.sendLast,
    /** Responds to a request in origin form, and refuses the target `*`. Never rejects. */
    handle: (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const startedAt = performance.now()
      const { request, readSupported } = toApiRequest(incoming)
      const { method, path } = request
      const remoteAddress = getClientAddress(incoming, trustProxy)
      const finish = (status: number, id: string | null | undefined): void => {
        record({ status, requestId: id, method, path, durationMs: performance.now() - startedAt })
      }

      const send = ({ status, headers, body }: ApiResponse): void => {
        finish(status, headers['x-request-id'])
        const length = Buffer.byteLength(body)
        linger.send(
          { incoming, outgoing },
          { status, headers: { ...headers, 'content-length': length }, body },
        )
      }

      const fetch = findFetch(request, remoteAddress, { incoming, outgoing })
      // Waits even for a refusal that is known, so that node:http first reports an error in the rest of the request.
      if (fetch === undefined) return Promise.resolve(respond(request, remoteAddress)).then(send)
      const fetchAndSend = async (webRequest: Request): Promise<Response> => {
        const response = await fetch(withBody(webRequest, readSupported)).catch((error: unknown) => {
          const { body, ...init } = refuse(error)
          return new Response(body, init)
        })
        finish(response.status, response.headers.get('x-request-id'))
        return linger.hold(incoming, response)
      }
      return loadAdapter().then(
        ({ getRequestListener }) =>
          getRequestListener(fetchAndSend, { overrideGlobalObjects: false })(incoming, outgoing),
        (error: unknown) => send(refuse(error)),
      )
    },
  }
}

export type RequestHandler = ReturnType<typeof createRequestHandler>
