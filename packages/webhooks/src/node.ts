import type { ServerResponse } from 'node:http'
import { respond } from './adapter.ts'
import { type NodeRequest, toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

const write = async (response: Response, incoming: NodeRequest, outgoing: ServerResponse) => {
  const body = Buffer.from(await response.arrayBuffer())
  // Something else, such as a timeout of the framework, has already responded.
  if (outgoing.headersSent) return
  const headers = Object.fromEntries(response.headers)
  // Without this, Node would wait for the rest of a body that nobody reads.
  if (!incoming.complete) headers.connection = 'close'
  outgoing.writeHead(response.status, headers).end(body)
}

/**
 * Turns a receiver into a handler for node:http, Express, Koa and NestJS.
 *
 * @example
 * createServer(toNodeHandler(receiver)).listen(3000)
 * app.post('/webhooks', toNodeHandler(receiver)) // Express: before express.json()
 */
export const toNodeHandler =
  (receiver: Pick<Receiver, 'handle'>) =>
  async (incoming: NodeRequest, outgoing: ServerResponse): Promise<void> => {
    const response = await respond(
      () => toRequest(incoming, outgoing),
      (request) => receiver.handle(request),
    )
    try {
      await write(response, incoming, outgoing)
    } catch (error) {
      console.error('The response to a webhook could not be written.', error)
      outgoing.destroy()
    }
  }

export type { NodeRequest } from './node-request.ts'
