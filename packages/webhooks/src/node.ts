import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLinger } from '@wabakit/wire'
import { type RequestHandler, respond } from './adapter.ts'
import { WebhookUsageError } from './errors.ts'
import { findIncoming, type NodeRequest, type NodeRequestHolder, toRequest } from './node-request.ts'

export type { RequestHandler } from './adapter.ts'
export type { NodeRequest } from './node-request.ts'

export { type StopServerOptions, stopServer } from './stop-server.ts'

/** @throws WebhookUsageError where a framework passes something else, such as a Fetch request or an event of Lambda. */
const assertNodeRequest = (request: unknown, response: unknown): void => {
  const { raw = request } = Object(request)
  if (typeof Object(Object(raw).req ?? raw).on === 'function' && Object(response) === response) return
  throw new WebhookUsageError(
    'toNodeHandler() takes the request and the response of node:http. Pass a Fetch Request to receiver.handle(), and an ' +
      'event of Lambda to toLambdaHandler().',
  )
}

/**
 * Turns a receiver into a handler for node:http, Express, Koa, and NestJS on Express or Fastify.
 *
 * If the receiver responds before the end of a body, the handler reads and drops the rest for up to 2 seconds. Otherwise, a
 * proxy that is still sending would see a reset connection. Beyond 100 such bodies at once, it closes the
 * connections, and publishes a message on the diagnostics channel `wabakit.cut` for each.
 *
 * @example
 * createServer(toNodeHandler(receiver)).listen(3000)
 * app.post('/webhooks', toNodeHandler(receiver)) // Express: before express.json()
 */
export const toNodeHandler = (receiver: RequestHandler) => {
  const linger = createLinger()
  const write = async (response: Response, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = new Uint8Array(await response.arrayBuffer())
    // Other code, such as the framework's timeout, has already responded.
    if (outgoing.headersSent) return
    const { status, headers } = response
    linger.send({ incoming, outgoing }, { status, headers: Object.fromEntries(headers), body })
  }
  return async (
    request: NodeRequest | NodeRequestHolder,
    response: ServerResponse | { readonly raw: ServerResponse },
  ): Promise<void> => {
    assertNodeRequest(request, response)
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
}
