import { setTimeout as sleep } from 'node:timers/promises'
import { type EndpointName, endpoints } from '@wabakit/contract'
import { type ReferenceFetch, RequestRefusedError } from '@wabakit/core'
import { refuseRequest } from '@wabakit/core/hosting'
import { type ApiFaults, respondWithFault } from '@wabakit/core/simulation'
import { type ControlApi, controlPath } from '../control/control-api.ts'
import type { Metrics, RequestLabel } from '../metrics/metrics.ts'
import { clientAddress, type Incoming } from './client-address.ts'
import type { Logger } from './logger.ts'
import type { Operations } from './operations.ts'

/** What {@link createRequestHandler} works with. */
export type RequestHandlerContext = {
  /** What others call; none in a process that only delivers. */
  readonly api:
    | { readonly fetch: ReferenceFetch; readonly control: ControlApi; readonly faults: ApiFaults | undefined }
    | undefined
  readonly operations: Operations
  readonly metrics: Metrics
  readonly log: Logger
  readonly requestId: () => string
  readonly trustProxy: number
  /** Gets errors that nobody foresaw; the answer tells nothing of them. */
  readonly onError: (error: unknown) => void
}

/** Answers everything that comes over HTTP. */
export type RequestHandler = {
  /** Answers a request. */
  handle(request: Request, incoming: Incoming): Promise<Response>
  /** Answers a request of which no `Request` can be made. */
  refuse(): Response
  /** Counts and logs a request that was answered otherwise. */
  record(answered: Answered): void
}

/** What is recorded of a request. */
export type Answered = {
  readonly status: number
  readonly requestId?: string | undefined
  readonly method?: string
  readonly path?: string
  /** In milliseconds. */
  readonly took?: number
}

const labels: ReadonlyMap<string, EndpointName> = new Map([
  [endpoints['groups.create'].path, 'groups.create'],
  [endpoints['calls.getSummary'].path, 'calls.getSummary'],
])

const isControl = (path: string): boolean => path === controlPath || path.startsWith(`${controlPath}/`)

const labelOf = (path: string): RequestLabel => labels.get(path) ?? (isControl(path) ? 'control' : 'other')

const levelOf = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

const toResponse = (error: unknown, requestId: string): Response => {
  const { body, status, headers } = refuseRequest(error, requestId)
  return new Response(body, { status, headers })
}

/** Makes the handler of everything that a server answers, which also counts and logs. */
export const createRequestHandler = (context: RequestHandlerContext): RequestHandler => {
  const { api, operations, metrics, log, requestId, trustProxy, onError } = context

  const identify = async (answer: Promise<Response>): Promise<Response> => {
    const response = await answer
    response.headers.set('x-request-id', requestId())
    return response
  }

  const answer = async (request: Request, path: string, incoming: Incoming): Promise<Response> => {
    const remoteAddress = clientAddress(incoming, trustProxy)
    const operation = operations(path, request, remoteAddress)
    if (operation !== undefined) return identify(operation)
    if (api === undefined)
      throw new RequestRefusedError(
        'route_not_found',
        'This process delivers webhooks and answers no requests.',
      )
    if (isControl(path)) return identify(api.control(request, remoteAddress))
    const respond = () => api.fetch(request, { remoteAddress })
    const fault = api.faults?.take(labels.get(path))
    if (fault === undefined) return respond()
    return respondWithFault(fault, {
      respond,
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
      reset: () => incoming.socket.destroy(),
    })
  }

  const record = ({ status, requestId: id, method, path = '', took = 0 }: Answered): void => {
    metrics.countRequest({ endpoint: labelOf(path), status, seconds: took / 1_000 })
    const level = levelOf(status)
    if (log.isLevelEnabled(level))
      log[level]({ requestId: id, method, path: path || undefined, status, ms: Math.round(took) }, 'request')
  }

  return {
    record,
    refuse: () => {
      const id = requestId()
      const response = toResponse(
        new RequestRefusedError('malformed_request', 'The target or the Host header is not usable.'),
        id,
      )
      record({ status: response.status, requestId: id })
      return response
    },
    handle: async (request, incoming) => {
      const startedAt = performance.now()
      const path = incoming.url?.split('?', 1)[0] ?? '/'
      const response = await answer(request, path, incoming).catch((error: unknown) => {
        if (!(error instanceof RequestRefusedError)) onError(error)
        return toResponse(error, requestId())
      })
      // The rest of an unread body is not waited for, so the connection cannot carry another request.
      if (!incoming.complete) response.headers.set('connection', 'close')
      record({
        status: response.status,
        requestId: log.isLevelEnabled(levelOf(response.status))
          ? (response.headers.get('x-request-id') ?? undefined)
          : undefined,
        method: request.method,
        path,
        took: performance.now() - startedAt,
      })
      return response
    },
  }
}
