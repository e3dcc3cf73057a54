import type { HookRequest, Hooks } from 'wabakit'

/** The parts of OpenTelemetry's `Tracer` and `Span` that this uses: `trace.getTracer('shop')` has them. */
type Span = {
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { code: 2; message?: string }): unknown
  end(): void
}
export type Tracer = {
  startSpan(name: string, options: { kind: 2; attributes: Record<string, string | number> }): Span
}

/** Creates one client span per attempt, following OpenTelemetry's conventions for HTTP. */
export const createTracingHooks = (tracer: Tracer): Hooks => {
  const spans = new WeakMap<HookRequest, Span>()
  return {
    beforeRequest: ({ request }) => {
      const span = tracer.startSpan(`${request.method} ${request.endpoint}`, {
        kind: 2, // SpanKind.CLIENT
        attributes: {
          'http.request.method': request.method,
          'url.full': request.url,
          'server.address': new URL(request.url).hostname,
          'http.request.resend_count': request.attempt - 1,
        },
      })
      spans.set(request, span)
    },
    afterResponse: ({ request, response, requestId }) => {
      const span = spans.get(request)
      span?.setAttribute('http.response.status_code', response.status)
      if (requestId) span?.setAttribute('http.response.header.x-request-id', requestId)
      if (response.status >= 400) span?.setStatus({ code: 2 }) // SpanStatusCode.ERROR
      span?.end()
    },
    afterError: ({ request, error }) => {
      const span = spans.get(request)
      span?.setAttribute('error.type', error instanceof Error ? error.name : 'aborted')
      span?.setStatus({ code: 2, message: String(error) })
      span?.end()
    },
  }
}
