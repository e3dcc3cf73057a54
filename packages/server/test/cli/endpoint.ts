import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { afterAll } from 'vitest'

/**
 * Opens a webhook endpoint on loopback, which is closed at the end of the test file. It accepts nothing until `trust`
 * is called.
 */
export const openEndpoint = async () => {
  const arrivals: {
    event: string
    id: string | undefined
    token: string | null
    authorization: string | null
  }[] = []
  const waiting = new Set<() => void>()
  let handle: RequestListener = (_, response) => response.writeHead(401).end()
  const server = createServer((request, response) => handle(request, response))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    /** The accepted webhooks, in order. */
    arrivals,
    /** Accepts webhooks signed with this secret. */
    trust: (secret: string): void => {
      const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
      handle = toNodeHandler(
        receiver.onAny(({ event }, { delivery: { id }, headers }) => {
          const [token, authorization] = [headers.get('x-token'), headers.get('authorization')]
          arrivals.push({ event, id, token, authorization })
          for (const look of waiting) look()
        }),
      )
    },
    /** Resolves when this many webhooks have been accepted. */
    arrived: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (arrivals.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
