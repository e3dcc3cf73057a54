import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { DeliveryFetch } from '@wabakit/core'
import { Agent } from 'undici'
import { exchange, type OutgoingWebhook, type WebhookResponse } from './exchange.ts'
import { createGuardedConnector } from './guarded-connector.ts'
import type { TargetPolicy } from './target-policy.ts'

export type TransportOptions = TargetPolicy & {
  /** @default dns.lookup */
  readonly lookup?: LookupFunction
  /**
   * Maximum time to connect, in milliseconds.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number
}

/** Sends webhooks over persistent connections. */
export type Transport = {
  send(webhook: OutgoingWebhook): Promise<WebhookResponse>
  /** Closes all connections immediately. */
  close(): Promise<void>
}

export const createTransport = ({
  allowPrivateTargets,
  lookup = systemLookup,
  connectTimeoutMs = 10_000,
}: TransportOptions): Transport => {
  const connect = createGuardedConnector({
    policy: { allowPrivateTargets },
    lookup,
    timeoutMs: connectTimeoutMs,
  })
  const agent = new Agent({ connect, allowH2: false, maxHeaderSize: 16_384 })
  return {
    send: (webhook) => exchange(agent, webhook),
    close: () => agent.destroy(),
  }
}

/** Adapts a transport to the fetch function that the core sends webhooks with. */
export const createDeliveryFetch =
  ({ send }: Transport): DeliveryFetch =>
  async (url, { headers, body, signal }) => {
    const { status, retryAfter, ...rest } = await send({ url, headers, body, signal })
    return { status, headers: { get: () => retryAfter }, body: rest.body }
  }
