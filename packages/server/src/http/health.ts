import { type ApiRequest, type ApiResponse, StorageUnavailableError, type Store } from '@wabakit/core'
import type { ServerConfig } from '../config/server-config.ts'
import { ControlError } from '../control/control-error.ts'
import type { TokenCheck } from '../control/token-check.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { Metrics } from '../metrics/metrics.ts'

export type HealthOptions = {
  readonly settings: Pick<ServerConfig, 'host' | 'publicUrl'>
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  readonly metrics: Metrics
  /** Checks the token of requests for metrics; if `undefined`, every client may read them. */
  readonly checkMetricsToken: TokenCheck | undefined
  isStopping(): boolean
}

/** Responds to a request for a monitoring path, without a request id. Rejects if the server is not healthy. */
export type Health = (request: ApiRequest, remoteAddress: string | undefined) => Promise<ApiResponse>

export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Creates `/healthz` (the process responds), `/readyz` (it can serve requests) and `/metrics` (for Prometheus). */
export const createHealth = (options: HealthOptions): Health => {
  const { settings, store, metrics, checkMetricsToken, isStopping } = options
  const isLocal = isLoopbackHost(settings.host)
  const publicHost = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).host

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

  const render = async ({ path, headers }: ApiRequest, remoteAddress: string | undefined) => {
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
    const body = await render(request, remoteAddress)
    const type = request.path === '/metrics' ? metrics.contentType : 'text/plain; charset=utf-8'
    return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
  }
}
