import {
  type ApiRequest,
  type ApiResponse,
  RequestRefusedError,
  StorageUnavailableError,
  type Store,
} from '@wabakit/core'
import type { ServerConfig } from '../config/server-config.ts'
import { ControlError } from '../control/control-error.ts'
import type { TokenCheck } from '../control/token-check.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { Metrics } from '../metrics/metrics.ts'

type PagesOptions = {
  readonly settings: ServerConfig
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  readonly metrics: Metrics
  /** Checks the token of requests for metrics; if `undefined`, every client may read them. */
  readonly checkMetricsToken: TokenCheck | undefined
  readonly createRequestId: () => string
  isStopping(): boolean
}

/** The pages about a server, which need no API key. */
export type Pages = {
  has(path: string): boolean
  /** Responds to a request for a page. Rejects if it is not allowed, or the server is not ready. */
  respond(request: ApiRequest, remoteAddress: string | undefined): Promise<ApiResponse>
}

/**
 * Creates `/healthz` (the process responds), `/readyz` (it can serve requests), `/metrics` (for Prometheus) and, unless
 * the role is `worker`, the documents of the public API.
 */
export const createPages = (options: PagesOptions): Pages => {
  const { settings, store, metrics, checkMetricsToken, createRequestId, isStopping } = options
  const { host, publicUrl, authHeader } = settings
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  const documents = new Map<string, string>()

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

  /** Checks the host: pages of other sites must not read metrics through a host name that resolves to this machine. */
  const checkMetricsHost = (requested: string): void => {
    const isAllowed = !isLoopbackHost(host) || isLoopbackHost(requested.replace(/:\d+$/, ''))
    if (isAllowed || requested === publicHost) return
    throw new ControlError(
      'host_not_allowed',
      'The host of the request is not this machine. Set a metricsToken to allow other hosts.',
    )
  }

  /** Builds a document once. Loads the documents on demand, because few servers ever get such a request. */
  const renderDocument = async (path: string): Promise<string> => {
    const known = documents.get(path)
    if (known !== undefined) return known
    const { createAsyncApiDocument, createOpenApiDocument } = await import('@wabakit/contract/documents')
    const document =
      path === '/openapi.json'
        ? createOpenApiDocument({ authHeader, baseUrl: publicUrl ?? '/' })
        : createAsyncApiDocument()
    const text = JSON.stringify(document)
    documents.set(path, text)
    return text
  }

  const render = async (
    { path, headers }: ApiRequest,
    remoteAddress: string | undefined,
  ): Promise<string> => {
    switch (path) {
      case '/healthz':
        return 'ok\n'
      case '/readyz':
        await checkReady()
        return 'ready\n'
      case '/metrics':
        if (checkMetricsToken === undefined) checkMetricsHost(headers.get('host') ?? '')
        else await checkMetricsToken(headers, remoteAddress)
        return metrics.render()
      default:
        return renderDocument(path)
    }
  }

  const json = 'application/json'
  const text = 'text/plain; charset=utf-8'
  const types: Readonly<Record<string, string>> = {
    '/healthz': text,
    '/readyz': text,
    '/metrics': metrics.contentType,
    ...(settings.role !== 'worker' && { '/openapi.json': json, '/asyncapi.json': json }),
  }
  return {
    has: (path) => Object.hasOwn(types, path),
    respond: async (request, remoteAddress) => {
      const { method, path } = request
      if (method !== 'GET' && method !== 'HEAD') {
        throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
          headers: { allow: 'GET, HEAD' },
        })
      }
      const body = await render(request, remoteAddress)
      const type = types[path] ?? text
      const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-request-id': createRequestId() }
      return { status: 200, headers, body }
    },
  }
}
