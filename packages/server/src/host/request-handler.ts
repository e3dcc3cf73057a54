import { endpoints } from '@wabakit/contract'
import type { ReferenceFetch } from '@wabakit/core'
import type { Metrics, RequestLabel } from '../metrics/metrics.ts'
import { clientAddress, type Incoming } from './client-address.ts'
import type { Logger } from './logger.ts'
import type { Operations } from './operations.ts'

/** What {@link createRequestHandler} works with. */
export type RequestHandlerContext = {
  /** The public API. */
  readonly api: ReferenceFetch
  readonly operations: Operations
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

const levelOf = (status: number): 'debug' | 'info' | 'error' =>
  status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'

/** Makes the handler of everything that a server answers, which also counts and logs. */
export const createRequestHandler = (context: RequestHandlerContext): RequestHandler => {
  const { api, operations, metrics, log, trustProxy } = context

  const answer = (request: Request, path: string, remoteAddress: string | undefined): Promise<Response> =>
    operations(path) ?? api(request, { remoteAddress })

  return async (request, incoming) => {
    const startedAt = performance.now()
    const path = incoming.url?.split('?', 1)[0] ?? '/'
    const response = await answer(request, path, clientAddress(incoming, trustProxy))
    const { status } = response
    const milliseconds = performance.now() - startedAt
    metrics.countRequest({ endpoint: labels.get(path) ?? 'other', status, seconds: milliseconds / 1_000 })
    const level = levelOf(status)
    if (log.isLevelEnabled(level)) {
      const requestId = response.headers.get('x-request-id') ?? undefined
      log[level]({ requestId, method: request.method, path, status, ms: Math.round(milliseconds) }, 'request')
    }
    return response
  }
}
