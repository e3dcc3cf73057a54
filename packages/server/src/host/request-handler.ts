import { setTimeout as sleep } from 'node:timers/promises'
import { type EndpointName, endpoints } from '@wabakit/contract'
import type { ReferenceFetch } from '@wabakit/core'
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
  readonly trustProxy: number
  /** Gets errors that nobody foresaw; the answer tells nothing of them. */
  readonly onError: (error: unknown) => void
}

/** Answers a request that came over HTTP. */
export type RequestHandler = (request: Request, incoming: Incoming) => Promise<Response>

const labels: ReadonlyMap<string, EndpointName> = new Map([
  [endpoints['groups.create'].path, 'groups.create'],
  [endpoints['calls.getSummary'].path, 'calls.getSummary'],
])

const isControl = (path: string): boolean => path === controlPath || path.startsWith(`${controlPath}/`)

const labelOf = (path: string): RequestLabel => labels.get(path) ?? (isControl(path) ? 'control' : 'other')

const levelOf = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

/** Makes the handler of everything that a server answers, which also counts and logs. */
export const createRequestHandler = (context: RequestHandlerContext): RequestHandler => {
  const { api, operations, metrics, log, trustProxy, onError } = context

  const answer = async (request: Request, path: string, incoming: Incoming): Promise<Response> => {
    const operation = operations(path)
    if (operation !== undefined) return operation
    if (api === undefined) return new Response('This process only delivers.\n', { status: 404 })
    if (isControl(path)) return api.control(request)
    const remoteAddress = clientAddress(incoming, trustProxy)
    const respond = () => api.fetch(request, { remoteAddress })
    const fault = api.faults?.take(labels.get(path))
    if (fault === undefined) return respond()
    return respondWithFault(fault, {
      respond,
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
      reset: () => incoming.socket.destroy(),
    })
  }

  return async (request, incoming) => {
    const startedAt = performance.now()
    const path = incoming.url?.split('?', 1)[0] ?? '/'
    const response = await answer(request, path, incoming).catch((error: unknown) => {
      onError(error)
      return new Response('Something went wrong. The log of the server says what.\n', { status: 500 })
    })
    // The rest of an unread body is not waited for, so the connection cannot carry another request.
    if (!incoming.complete) response.headers.set('connection', 'close')
    const { status } = response
    const milliseconds = performance.now() - startedAt
    metrics.countRequest({ endpoint: labelOf(path), status, seconds: milliseconds / 1_000 })
    const level = levelOf(status)
    if (log.isLevelEnabled(level)) {
      const requestId = response.headers.get('x-request-id') ?? undefined
      log[level]({ requestId, method: request.method, path, status, ms: Math.round(milliseconds) }, 'request')
    }
    return response
  }
}
