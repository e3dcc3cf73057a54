import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EndpointName, endpoints } from '@wabakit/contract'
import { type ReferenceFetch, RequestRefusedError, refuseRequest } from '@wabakit/core'
import { type ApiFaults, respondWithFault } from '@wabakit/core/simulation'
import type { Logger } from 'pino'
import { type ControlApi, controlPath } from '../control/control-api.ts'
import type { Metrics, RequestLabel } from '../metrics/metrics.ts'
import type { Health } from './health.ts'

export type RequestHandlerOptions = {
  /** The public API and the control API; `undefined` in a process that only delivers. */
  readonly api:
    | { readonly fetch: ReferenceFetch; readonly control: ControlApi; readonly faults: ApiFaults | undefined }
    | undefined
  readonly health: Health
  readonly metrics: Metrics
  readonly log: Logger
  readonly requestId: () => string
  /** The number of proxies in front of the server. */
  readonly trustProxy: number
  /** Receives unforeseen errors. Their responses reveal nothing about them. */
  readonly onError: (error: unknown) => void
}

/** The parts of an `IncomingMessage` that a `Request` does not have. */
export type Incoming = {
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Whether the whole request has arrived. */
  readonly complete: boolean
  readonly socket: { readonly remoteAddress?: string | undefined; destroy(): unknown }
}

/** Facts of a response that are counted and logged. */
export type ResponseFacts = {
  readonly status: number
  readonly requestId?: string | undefined
  readonly method?: string
  readonly path?: string
  readonly durationMs?: number
}

/** Responds to every request that a server receives. */
export type RequestHandler = {
  /** Never rejects. */
  handle(request: Request, incoming: Incoming): Promise<Response>
  /** Returns the response to a request that cannot be represented as a `Request`. */
  refuse(): Response
  /** Counts and logs a response. */
  record(response: ResponseFacts): void
}

const endpointNames: ReadonlyMap<string, EndpointName> = new Map([
  [endpoints['groups.create'].path, 'groups.create'],
  [endpoints['calls.getSummary'].path, 'calls.getSummary'],
])

const isControl = (path: string): boolean => path === controlPath || path.startsWith(`${controlPath}/`)

const getLabel = (path: string): RequestLabel =>
  endpointNames.get(path) ?? (isControl(path) ? 'control' : 'other')

const getLevel = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

/**
 * Returns the address of the client. Each of the last `trustProxy` entries of `X-Forwarded-For` was written by a
 * trusted proxy and names its caller. Entries before these can be forged and are ignored.
 */
export const getClientAddress = (
  { headers, socket }: Pick<Incoming, 'headers' | 'socket'>,
  trustProxy: number,
): string | undefined => {
  if (trustProxy === 0) return socket.remoteAddress
  // Node joins repeated headers of this name with commas.
  const entries = String(headers['x-forwarded-for'] ?? '').split(',')
  const address = entries.at(-trustProxy)?.trim() ?? ''
  return isIP(address) === 0 ? socket.remoteAddress : address
}

export const createRequestHandler = (options: RequestHandlerOptions): RequestHandler => {
  const { api, health, metrics, log, requestId, trustProxy, onError } = options

  const withId = async (pending: Promise<Response>): Promise<Response> => {
    const response = await pending
    response.headers.set('x-request-id', requestId())
    return response
  }

  const respond = async (request: Request, path: string, incoming: Incoming): Promise<Response> => {
    const remoteAddress = getClientAddress(incoming, trustProxy)
    const endpoint = endpointNames.get(path)
    if (endpoint === undefined) {
      const healthResponse = health(path, request, remoteAddress)
      if (healthResponse !== undefined) return withId(healthResponse)
    }
    if (api === undefined) {
      throw new RequestRefusedError('route_not_found', 'This process only delivers webhooks.')
    }
    if (isControl(path)) return withId(api.control(request, remoteAddress))
    const fault = api.faults?.take(endpoint)
    if (fault === undefined) return api.fetch(request, { remoteAddress })
    return respondWithFault(fault, {
      respond: () => api.fetch(request, { remoteAddress }),
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
      reset: () => incoming.socket.destroy(),
    })
  }

  const toResponse = (error: unknown): Response => {
    const { body, status, headers } = refuseRequest(error, requestId())
    return new Response(body, { status, headers })
  }

  const record = ({ status, requestId: id, method, path = '', durationMs = 0 }: ResponseFacts): void => {
    metrics.countRequest({ endpoint: getLabel(path), status, seconds: durationMs / 1_000 })
    const level = getLevel(status)
    if (!log.isLevelEnabled(level)) return
    log[level](
      { requestId: id, method, path: path || undefined, status, ms: Math.round(durationMs) },
      'request',
    )
  }

  return {
    record,
    refuse: () => {
      const response = toResponse(
        new RequestRefusedError('malformed_request', 'The request target or the Host header is not valid.'),
      )
      record({ status: response.status, requestId: response.headers.get('x-request-id') ?? undefined })
      return response
    },
    handle: async (request, incoming) => {
      const startedAt = performance.now()
      const path = incoming.url?.split('?', 1)[0] ?? '/'
      const response = await respond(request, path, incoming).catch((error: unknown) => {
        if (!(error instanceof RequestRefusedError)) onError(error)
        return toResponse(error)
      })
      const { status, headers } = response
      // The rest of an unread body is not waited for, so the connection cannot carry another request.
      if (!incoming.complete) headers.set('connection', 'close')
      record({
        status,
        requestId: log.isLevelEnabled(getLevel(status))
          ? (headers.get('x-request-id') ?? undefined)
          : undefined,
        method: request.method,
        path,
        durationMs: performance.now() - startedAt,
      })
      return response
    },
  }
}
