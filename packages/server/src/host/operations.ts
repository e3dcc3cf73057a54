import type { Store } from '@wabakit/core'
import type { Metrics } from '../metrics/metrics.ts'

/** What {@link createOperations} works with. */
export type OperationsContext = {
  readonly store: Store
  readonly metrics: Metrics
  /** Whether the server is stopping. */
  isStopping(): boolean
}

/** Answers of the paths that whoever runs a server asks; `undefined` for any other path. */
export type Operations = (path: string) => Promise<Response> | undefined

const text = (body: string, status = 200): Response =>
  new Response(`${body}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

/**
 * `/healthz`: the process answers. `/readyz`: its store does, too, and it is not stopping. `/metrics`: its figures for
 * Prometheus.
 */
export const createOperations = ({ store, metrics, isStopping }: OperationsContext): Operations => {
  const ready = async (): Promise<Response> => {
    if (isStopping()) return text('stopping', 503)
    try {
      // A store is made with its migrations done; that it answers is what can change.
      await store.nextDueAt()
      return text('ready')
    } catch {
      return text('the store cannot be reached', 503)
    }
  }
  return (path) => {
    switch (path) {
      case '/healthz':
        return Promise.resolve(text('ok'))
      case '/readyz':
        return ready()
      case '/metrics':
        return metrics
          .render()
          .then((body) => new Response(body, { headers: { 'content-type': metrics.contentType } }))
      default:
        return undefined
    }
  }
}
