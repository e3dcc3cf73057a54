import type { IncomingMessage, ServerResponse } from 'node:http'
import { type RequestHandler, respond } from './adapter.ts'
import { findIncoming, type NodeRequest, type NodeRequestHolder, toRequest } from './node-request.ts'

export { type StopServerOptions, stopServer } from './stop-server.ts'

const write = async (response: Response, incoming: IncomingMessage, outgoing: ServerResponse) => {
  const body = Buffer.from(await response.arrayBuffer())
  // Other code, such as the framework's timeout, has already responded.
  if (outgoing.headersSent) return
  const headers = Object.fromEntries(response.headers)
  // Without this, Node would wait for the rest of a body that no code reads.
  if (!incoming.complete) headers.connection = 'close'
  outgoing.writeHead(response.status, headers).end(body)
}

/**
 * Turns a receiver into a handler for node:http, Express, Koa, and NestJS on Express or Fastify.
 *
 * @example
 * createServer(toNodeHandler(receiver)).listen(3000)
 * app.post('/webhooks', toNodeHandler(receiver)) // Express: before express.json()
 */
export const toNodeHandler =
  (receiver: RequestHandler) =>
  async (
    request: NodeRequest | NodeRequestHolder,
    response: ServerResponse | { readonly raw: ServerResponse },
  ): Promise<void> => {
    const incoming = findIncoming(request)
    const outgoing = 'raw' in response ? response.raw : response
    const responded = await respond(
      () => toRequest(request, outgoing),
      (each) => receiver.handle(each),
    )
    try {
      await write(responded, incoming, outgoing)
    } catch (error) {
      console.error('The response to a webhook could not be written.', error)
      outgoing.destroy()
    }
  }
