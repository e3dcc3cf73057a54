import { endpoints } from '@wabakit/contract'
import type { ReferenceFetch } from '@wabakit/core'
import { type ControlApi, controlPath } from '../control/control-api.ts'
import { applyFault } from '../faults/apply-fault.ts'
import type { Faults } from '../faults/faults.ts'
import type { Metrics, RequestLabel } from '../metrics/metrics.ts'
import { clientAddress, type Incoming } from './client-address.ts'
import type { Logger } from './logger.ts'
import type { Operations } from './operations.ts'

/** What {@link createRequestHandler} works with. */
export type RequestHandlerContext = {
  /** The public API. */
  readonly api: ReferenceFetch
  readonly control: ControlApi
  readonly operations: Operations
  readonly faults: Faults | undefined
  readonly metrics: Metrics
  readonly log: Logger
  readonly trustProxy: number
}

/** Answers a request that came over HTTP. */
export type RequestHandler = (request: Request, incoming: Incoming) => Promise<Response>

const labels: ReadonlyMap<string, RequestLabel> = new Map([
  [endpoints['groups.create'].path, 'groups.create'],
  [endpoints['calls.getSummary'].path, 'calls.getSummary'],
])

const isControl = (path: string): boolean => path === controlPath || path.startsWith(`${controlPath}/`)

const labelOf = (path: string): RequestLabel => labels.get(path) ?? (isControl(path) ? 'control' : 'other')

const levelOf = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

/** Makes the handler of everything that a server answers, which also counts and logs. */
export const createRequestHandler = (context: RequestHandlerContext): RequestHandler => {
  const { api, control, operations, faults, metrics, log, trustProxy } = context

  const answer = (request: Request, path: string, incoming: Incoming): Promise<Response> => {
    if (isControl(path)) return control(request)
    const operation = operations(path)
    if (operation !== undefined) return operation
    const remoteAddress = clientAddress(incoming, trustProxy)
    const fault = faults?.take(request.method, path)
    if (fault === undefined) return api(request, { remoteAddress })
    return applyFault(fault, {
      answer: () => api(request, { remoteAddress }),
      reset: () => incoming.socket.destroy(),
    })
  }

  return async (request, incoming) => {
    const startedAt = performance.now()
    const path = incoming.url?.split('?', 1)[0] ?? '/'
    const response = await answer(request, path, incoming)
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
