import { RequestRefusedError, StorageUnavailableError, type Store } from '@wabakit/core'
import { ControlError } from '../control/control-error.ts'
import { errorResponse } from '../control/error-response.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { TokenCheck } from './token-check.ts'

/** What {@link createOperations} works with. */
export type OperationsContext = {
  readonly store: Store
  readonly metrics: Metrics
  /** Decides who may read the metrics; without it, everybody may. */
  readonly checkMetricsToken: TokenCheck | undefined
  /** Whether the server is stopping. */
  isStopping(): boolean
}

/** Answers requests for the paths that whoever runs a server asks; `undefined` for any other path. */
export type Operations = (
  path: string,
  request: Request,
  remoteAddress: string | undefined,
) => Promise<Response> | undefined

type Operation = (request: Request, remoteAddress: string | undefined) => Promise<Response>

const text = (body: string): Response =>
  new Response(`${body}\n`, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

const checkMethod = ({ method }: Request): void => {
  if (method === 'GET' || method === 'HEAD') return
  throw new RequestRefusedError('method_not_allowed', 'This path takes GET and HEAD only.', {
    headers: { allow: 'GET, HEAD' },
  })
}

/** What is not foreseen here is left to the caller. */
const refuse = (error: unknown): Response => {
  const isForeseen = [ControlError, RequestRefusedError, StorageUnavailableError].some(
    (kind) => error instanceof kind,
  )
  if (error instanceof Error && isForeseen) return errorResponse(error)
  throw error
}

/**
 * `/healthz`: the process answers. `/readyz`: its store does, too, and it is not stopping. `/metrics`: its figures for
 * Prometheus.
 */
export const createOperations = (context: OperationsContext): Operations => {
  const { store, metrics, checkMetricsToken, isStopping } = context

  const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
    ['/healthz', async () => text('ok')],
    [
      '/readyz',
      async () => {
        if (isStopping()) throw new ControlError('stopping', 'The server is stopping.')
        // A store is made with its migrations done; that it answers is what can change.
        await store.nextDueAt().catch((cause: unknown) => {
          throw new StorageUnavailableError('The store cannot be reached.', { cause })
        })
        return text('ready')
      },
    ],
    [
      '/metrics',
      async ({ headers }, remoteAddress) => {
        await checkMetricsToken?.(headers, remoteAddress)
        return new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } })
      },
    ],
  ])

  return (path, request, remoteAddress) => {
    const operation = operations.get(path)
    if (operation === undefined) return undefined
    const answer = async (): Promise<Response> => {
      checkMethod(request)
      return operation(request, remoteAddress)
    }
    return answer().catch(refuse)
  }
}
