import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from 'wabakit/contract'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

/** Starts your side: a webhook endpoint that verifies, deduplicates, types and records webhooks. */
export const startEndpoint = async () => {
  const secrets: string[] = []
  /** The handled events, with their webhook ids. */
  const handled: Array<{ readonly id: string; readonly event: WebhookEvent }> = []
  /** The number of times that each id arrived. */
  const arrivals = new Map<string, number>()
  const pending = new Set<string>()
  let release = Promise.withResolvers<void>()
  release.resolve()

  const receiver = createReceiver({
    verify: (delivery) => standardWebhooks({ secrets })(delivery),
    dedupe: memoryDedupe(),
  }).onAny(async (event, { delivery }) => {
    handled.push({ id: delivery.id ?? '', event })
    await release.promise
  })
  const receive = toNodeHandler(receiver)
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
    pending.add(id)
    response.on('close', () => pending.delete(id))
    receive(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    handled,
    arrivals,
    trust: (secret: string) => secrets.push(secret),
    /** Returns the ids of the webhooks that have no response yet. */
    listPending: (): string[] => [...pending],
    /** From now on, handles webhooks but does not respond. */
    holdResponses: () => {
      release = Promise.withResolvers<void>()
    },
    releaseResponses: () => release.resolve(),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
