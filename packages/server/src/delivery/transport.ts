import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { exchange, type OutgoingWebhook, type WebhookAnswer } from './exchange.ts'
import { createGuardedConnector } from './guarded-connector.ts'
import type { TargetPolicy } from './target-policy.ts'

/** Options of {@link createTransport}. */
export type TransportOptions = TargetPolicy & {
  /**
   * How names become addresses.
   * @default the system's
   */
  readonly lookup?: LookupFunction
  /**
   * Longest time to connect, in milliseconds.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number
}

/** Sends webhooks over connections that are kept and used again. */
export type Transport = {
  /** Sends one webhook; see {@link exchange}. */
  send(webhook: OutgoingWebhook): Promise<WebhookAnswer>
  /** Closes all connections, whatever is still going on over them. */
  close(): Promise<void>
}

/** Makes the transport of a server's deliveries: undici, with a connector that refuses special-purpose addresses. */
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
