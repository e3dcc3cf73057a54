import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from 'wabakit/contract'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

/** Your side: a webhook endpoint that verifies, de-duplicates and types what arrives, and keeps book of it. */
export const startEndpoint = async () => {
  const secrets: string[] = []
  /** What was handled, with the id it came under. */
  const handled: Array<{ readonly id: string; readonly event: WebhookEvent }> = []
  /** How often each id arrived. */
  const arrivals = new Map<string, number>()
  let open = 0
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
    open++
    response.on('close', () => open--)
    receive(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    handled,
    arrivals,
    /** What its verifier accepts. */
    trust: (secret: string) => secrets.push(secret),
    /** How many requests have no answer yet. */
    unanswered: (): number => open,
    /** Handles what arrives, but answers nothing, until `answer`. */
    hold: () => {
      release = Promise.withResolvers<void>()
    },
    answer: () => release.resolve(),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
