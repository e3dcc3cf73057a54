import {
  type ApiRequest,
  type ApiResponse,
  RequestRefusedError,
  StorageUnavailableError,
  type Store,
} from '@wabakit/core'
import { ControlError } from '@wabakit/core/hosting'
import type { ServerConfig } from '../config/server-config.ts'
import type { TokenCheck } from '../control/token-check.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { Metrics } from '../metrics/metrics.ts'

type PagesOptions = {
  readonly settings: ServerConfig
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  /** Checks the token of requests for metrics; if `undefined`, they need no token. */
  readonly checkMetricsToken: TokenCheck | undefined
  readonly createRequestId: () => string
  isStopping(): boolean
}

/** Responds to a request for a page. Rejects if the request is not allowed, or the server is not ready. */
type Page = (request: ApiRequest, remoteAddress: string | undefined) => Promise<ApiResponse>

/** The pages about a server, which need no API key, by path. */
export type Pages = ReadonlyMap<string, Page>

/**
 * Creates `/healthz` (the process responds), `/readyz` (it can serve requests), `/metrics` (for Prometheus) and, unless
 * the role is `worker`, the documents of the public API.
 */
export const createPages = (options: PagesOptions): Pages => {
  const { settings, store, metrics, checkMetricsToken, createRequestId, isStopping } = options
  const { host, publicUrl, authHeader } = settings
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  const renderReadiness = async (): Promise<string> => {
    if (isStopping()) throw new ControlError('stopping', 'The server is stopping.')
    // Does not check the tables' version: the server listens only after the migrations.
    try {
      await store.nextDueAt()
      await store.checkWritable()
    } catch (cause) {
      throw new StorageUnavailableError('The database cannot be reached or written. See the log.', { cause })
    }
    return 'ready\n'
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

  const createPage =
    (type: string, render: (...request: Parameters<Page>) => Promise<string>): Page =>
    async (request, remoteAddress) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        throw new RequestRefusedError('method_not_allowed', 'This path supports GET and HEAD only.', {
          headers: { allow: 'GET, HEAD' },
        })
      }
      const body = await render(request, remoteAddress)
      const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-request-id': createRequestId() }
      return { status: 200, headers, body }
    }

  /** Creates a page with a document, which is built once. */
  const createDocumentPage = (build: () => Promise<object>): Page => {
    let text: string | undefined
    return createPage('application/json', async () => {
      text ??= JSON.stringify(await build())
      return text
    })
  }

  const plainText = 'text/plain; charset=utf-8'
  // Loads the documents on demand, because few servers ever get such a request.
  const documents = () => import('@wabakit/contract/documents')
  const pages: Record<string, Page> = {
    '/healthz': createPage(plainText, async () => 'ok\n'),
    '/readyz': createPage(plainText, renderReadiness),
    '/metrics': createPage(metrics.contentType, async ({ headers }, remoteAddress) => {
      if (checkMetricsToken === undefined) checkMetricsHost(headers.get('host') ?? '')
      else await checkMetricsToken(headers, remoteAddress)
      return metrics.render()
    }),
    ...(settings.role !== 'worker' && {
      '/openapi.json': createDocumentPage(async () =>
        (await documents()).createOpenApiDocument({ authHeader, baseUrl: publicUrl ?? '/' }),
      ),
      '/asyncapi.json': createDocumentPage(async () => (await documents()).createAsyncApiDocument()),
    }),
  }
  return new Map(Object.entries(pages))
}
