import type { DeliveryFetch } from '@wabakit/core'
import type { Transport } from './transport.ts'

const bodiless = new Set([204, 205, 304])

/** The transport in the shape of a fetch, which is what the core sends deliveries with. */
export const createDeliveryFetch =
  ({ send }: Transport, timeoutMs: number): DeliveryFetch =>
  async (url, { headers, body, signal }) => {
    const { status, retryAfter, ...answer } = await send({
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: String(body),
      signal: signal ?? undefined,
      timeoutMs,
    })
    return new Response(bodiless.has(status) ? null : answer.body, {
      status,
      ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }),
    })
  }
