import { findChannel } from '@wabakit/wire'

/**
 * Keeps the first `traceparent` of each webhook. OpenTelemetry's instrumentation of HTTP clients adds another one to
 * every request, and receivers ignore two (W3C Trace Context 3.2.1). If the request that caused the event had one, it
 * is the first.
 */
const keepFirst = (message: unknown): void => {
  // The array alternates names and values.
  const headers: unknown = Object(Object(message).request).headers
  if (!Array.isArray(headers) || !headers.includes('webhook-signature')) return
  for (const name of ['traceparent', 'tracestate']) {
    const first = headers.indexOf(name)
    for (let last = headers.lastIndexOf(name); last > first; last = headers.lastIndexOf(name))
      headers.splice(last, 2)
  }
}

let isKeeping = false

/** Starts to keep the `traceparent` of webhooks that undici or `fetch` sends. Call it before the first one is sent. */
export const keepTraceparent = (): void => {
  if (isKeeping) return
  isKeeping = true
  // Subscribers run in the order in which they subscribed, so this one runs after those of an instrumentation that was
  // set up before the first webhook.
  findChannel('undici:request:create')?.subscribe(keepFirst)
}
