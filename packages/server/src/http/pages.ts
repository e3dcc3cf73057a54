import { setTimeout } from 'node:timers/promises'
import {
  type ApiRequest,
  type ApiResponse,
  type DeliveryProblems,
  type Dispatcher,
  RequestRefusedError,
  StorageUnavailableError,
  type Store,
} from '@wabakit/core'
import { ControlError } from '@wabakit/core/hosting'
import type { ServerConfig } from '../config/server-config.ts'
import type { TokenCheck } from '../control/token-check.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { findRemedy } from '../stores/find-remedy.ts'

type PagesOptions = {
  readonly settings: ServerConfig
  readonly store: Pick<Store, 'nextDueAt' | 'checkWritable'>
  /** Finds what keeps this process from delivering. */
  readonly findProblems: Dispatcher['findProblems']
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  /** Checks the token of requests for metrics; if `undefined`, they need no token. */
  readonly checkMetricsToken: TokenCheck | undefined
  readonly createRequestId: () => string
  isStopping(): boolean
}

/** Maximum time for the database to show that groups can be created, in milliseconds. Balancers rarely wait longer than a second. */
const checkMs = 750

const describeProblems = ({
  unstoredResults,
  unreadableDeliveries,
  cannotRenew,
  cannotLoad,
}: DeliveryProblems): string[] => [
  ...(unstoredResults > 0
    ? [
        `The results of ${unstoredResults} delivery attempts cannot be stored. The deliveries to their endpoints are paused.`,
      ]
    : []),
  ...(unreadableDeliveries > 0
    ? [`${unreadableDeliveries} deliveries cannot be loaded from the database. The others go on.`]
    : []),
  ...(cannotRenew ? ['This process cannot renew its lease, so it delivers nothing.'] : []),
  ...(cannotLoad ? ['This process cannot load deliveries, so it delivers nothing.'] : []),
]

/** Responds to a request for a page. Rejects if the request is not allowed, or the server is not ready. */
type Page = (request: ApiRequest, remoteAddress: string | undefined) => Promise<ApiResponse>

/** The pages about a server, which need no API key, by path. */
export type Pages = ReadonlyMap<string, Page>

/**
 * Creates `/healthz` (the process responds), `/readyz` (it can serve requests), `/metrics` (for Prometheus) and, unless
 * the role is `worker`, the documents of the public API.
 */
export const createPages = (options: PagesOptions): Pages => {
  const { settings, store, findProblems, metrics, checkMetricsToken, createRequestId, isStopping } = options
  const { host, publicUrl, authHeader, sandbox: simulated } = settings
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  /** Checks that groups can be created. Does not check the tables' version: the server listens after the migrations. */
  const checkStore = async (): Promise<void> => {
    const checked = new AbortController()
    const late = setTimeout(checkMs, 'late', { signal: checked.signal, ref: false }).catch(() => 'late')
    try {
      const outcome = await Promise.race([Promise.all([store.nextDueAt(), store.checkWritable()]), late])
      if (outcome === 'late') throw new Error(`There was no response within ${checkMs} ms.`)
    } catch (cause) {
      // Anyone may read this page, so it shows only fixed text. The error itself may contain names or addresses.
      const message = ['The database cannot be reached or written.', findRemedy(cause), 'See the log.']
      throw new StorageUnavailableError(message.filter(Boolean).join(' '), { cause })
    } finally {
      checked.abort()
    }
  }

  const renderReadiness = async (): Promise<string> => {
    if (isStopping()) throw new ControlError('stopping', 'The server is stopping.')
    const found = findProblems()
    if (found.shortage !== undefined) throw new ControlError('out_of_resources', found.shortage.message)
    await checkStore()
    const problems = describeProblems(found)
    return ['ready', ...problems, ...(problems.length > 0 ? ['See the log.'] : []), ''].join('\n')
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

  /** Creates a page with a document, which is built for the first request and then kept. */
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
        (await documents()).createOpenApiDocument({ authHeader, baseUrl: publicUrl ?? '/', simulated }),
      ),
      '/asyncapi.json': createDocumentPage(async () =>
        (await documents()).createAsyncApiDocument({ simulated }),
      ),
    }),
  }
  return new Map(Object.entries(pages))
}
