import {
  type ApiRequest,
  type ApiResponse,
  RequestRefusedError,
  StorageUnavailableError,
  type Store,
} from '@wabakit/core'
import { ControlError } from '../control/control-error.ts'
import { toErrorResponse } from '../control/error-response.ts'
import type { TokenCheck } from '../control/token-check.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { Metrics } from '../metrics/metrics.ts'

export type HealthOptions = {
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  readonly metrics: Metrics
  /** Checks the token of requests for metrics; if `undefined`, every client may read them. */
  readonly checkMetricsToken: TokenCheck | undefined
  /** Set if the server listens on a loopback address only. */
  readonly isLocal: boolean
  /** The URL at which other machines reach the server, if configured. */
  readonly publicUrl: string | undefined
  readonly createRequestId: () => string
  isStopping(): boolean
}

/** Responds to a request for a monitoring path. Rejects only with unexpected errors. */
export type Health = (request: ApiRequest, remoteAddress: string | undefined) => Promise<ApiResponse>

export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Creates `/healthz` (the process responds), `/readyz` (it can serve requests) and `/metrics` (for Prometheus). */
export const createHealth = (options: HealthOptions): Health => {
  const { store, metrics, checkMetricsToken, createRequestId, isStopping, isLocal, publicUrl } = options
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  const checkReady = async (): Promise<void> => {
    if (isStopping()) throw new ControlError('stopping', 'The server is stopping.')
    // Migrations complete before the server listens.
    try {
      await store.nextDueAt()
      await store.checkWritable()
    } catch (cause) {
      throw new StorageUnavailableError('The database cannot be reached or written. See the log.', { cause })
    }
  }

  /**
   * Checks the host of a metrics request: another site's page must not read metrics through a host name that resolves
   * to this machine.
   */
  const checkMetricsHost = (host: string): void => {
    if (!isLocal || isLoopbackHost(host.replace(/:\d+$/, '')) || host === publicHost) return
    throw new ControlError(
      'host_not_allowed',
      'The host of the request is not this machine. Set a metricsToken to allow other hosts.',
    )
  }

  const render = async ({ path, method, headers }: ApiRequest, remoteAddress: string | undefined) => {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
        headers: { allow: 'GET, HEAD' },
      })
    }
    if (path === '/healthz') return 'ok\n'
    if (path === '/readyz') {
      await checkReady()
      return 'ready\n'
    }
    if (checkMetricsToken === undefined) checkMetricsHost(headers.get('host') ?? '')
    else await checkMetricsToken(headers, remoteAddress)
    return metrics.render()
  }

  return async (request, remoteAddress) => {
    try {
      const body = await render(request, remoteAddress)
      const type = request.path === '/metrics' ? metrics.contentType : 'text/plain; charset=utf-8'
      const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-request-id': createRequestId() }
      return { status: 200, headers, body }
    } catch (error) {
      const response = toErrorResponse(error, createRequestId())
      if (response.status === 500) throw error
      return response
    }
  }
}
