import { RequestRefusedError, StorageUnavailableError, type Store } from '@wabakit/core'
import { ControlError } from '../control/control-error.ts'
import { toErrorResponse } from '../control/error-response.ts'
import type { TokenCheck } from '../control/token-check.ts'
import type { Metrics } from '../metrics/metrics.ts'

export type HealthOptions = {
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  readonly metrics: Metrics
  /** Checks the token of requests for metrics. Without it, everybody may read them. */
  readonly checkMetricsToken: TokenCheck | undefined
  /** Whether the server is stopping. */
  isStopping(): boolean
}

/** Responds to requests for the paths that monitor a server. Returns `undefined` for any other path. */
export type Health = (
  path: string,
  request: Request,
  remoteAddress: string | undefined,
) => Promise<Response> | undefined

const toText = (body: string): Response =>
  new Response(`${body}\n`, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

const checkMethod = ({ method }: Request): void => {
  if (method === 'GET' || method === 'HEAD') return
  throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
    headers: { allow: 'GET, HEAD' },
  })
}

/** Unforeseen errors are left to the caller. */
const toResponse = (error: Error): Response => {
  const response = toErrorResponse(error)
  if (response.status === 500) throw error
  return response
}

/** Creates `/healthz` (the process responds), `/readyz` (it can serve requests) and `/metrics` (for Prometheus). */
export const createHealth = ({ store, metrics, checkMetricsToken, isStopping }: HealthOptions): Health => {
  const checkReady = async (): Promise<void> => {
    if (isStopping()) throw new ControlError('stopping', 'The server is stopping.')
    // Migrations are complete before the server listens.
    try {
      await store.nextDueAt()
      await store.checkWritable()
    } catch (cause) {
      throw new StorageUnavailableError('The database cannot be reached or written. See the log.', { cause })
    }
  }

  const respond = async (path: string, request: Request, remoteAddress: string | undefined) => {
    checkMethod(request)
    if (path === '/healthz') return toText('ok')
    if (path === '/readyz') {
      await checkReady()
      return toText('ready')
    }
    await checkMetricsToken?.(request.headers, remoteAddress)
    return new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } })
  }

  return (path, request, remoteAddress) =>
    path === '/healthz' || path === '/readyz' || path === '/metrics'
      ? respond(path, request, remoteAddress).catch(toResponse)
      : undefined
}
