import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { DeliveryFetch } from '@wabakit/core'
import type { Agent } from 'undici'
import { type OutgoingWebhook, sendWebhook, type WebhookResponse } from './send-webhook.ts'
import type { TargetPolicy } from './target-policy.ts'

export type TransportOptions = TargetPolicy & {
  /** @default dns.lookup */
  readonly lookup?: LookupFunction
}

/** Sends webhooks over persistent connections. */
export type Transport = {
  send(webhook: OutgoingWebhook): Promise<WebhookResponse>
  /** Closes all connections immediately. */
  close(): Promise<void>
}

/**
 * Creates a transport. It loads its HTTP client with the first webhook, because that would take a quarter of the
 * server's start-up time.
 */
export const createTransport = ({
  allowPrivateTargets,
  lookup = systemLookup,
}: TransportOptions): Transport => {
  let opening: Promise<Agent> | undefined
  const open = async (): Promise<Agent> => {
    const [{ Agent }, { createGuardedConnector }] = await Promise.all([
      import('undici'),
      import('./guarded-connector.ts'),
    ])
    const connect = createGuardedConnector({ policy: { allowPrivateTargets }, lookup })
    return new Agent({ connect, allowH2: false, maxHeaderSize: 16_384 })
  }
  return {
    send: async (webhook) => {
      opening ??= open()
      return sendWebhook(await opening, webhook)
    },
    close: async () => {
      const agent = await opening
      await agent?.destroy()
    },
  }
}

/** Adapts a transport to the fetch function that the core uses to send webhooks. */
export const createDeliveryFetch =
  ({ send }: Transport): DeliveryFetch =>
  async (url, { headers, body, signal }) => {
    const response = await send({ url, headers, body, signal })
    return { status: response.status, headers: { get: () => response.retryAfter }, body: response.body }
  }
