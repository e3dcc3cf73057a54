import type { DeliveryFetch } from '@wabakit/core'
import type { Transport } from './transport.ts'

/** The transport in the shape of a fetch, which is what the core sends deliveries with. */
export const createDeliveryFetch =
  ({ send }: Transport, timeoutMs: number): DeliveryFetch =>
  async (url, { headers, body, signal }) => {
    const { status, retryAfter, ...answer } = await send({ url, headers, body, signal, timeoutMs })
    return { status, headers: { get: () => retryAfter }, body: answer.body }
  }
