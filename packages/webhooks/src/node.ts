import type { ServerResponse } from 'node:http'
import { hangUpSignal } from './hang-up-signal.ts'
import { type NodeRequest, toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

/**
 * Makes a receiver a handler of node:http, Express, Koa and NestJS.
 *
 * @example
 * createServer(toNodeHandler(receiver)).listen(3000)
 * app.post('/webhooks', toNodeHandler(receiver)) // Express: before express.json()
 */
export const toNodeHandler =
  (receiver: Pick<Receiver, 'handle'>) =>
  async (request: NodeRequest, response: ServerResponse): Promise<void> => {
    const answer = await receiver.handle(await toRequest(request, hangUpSignal(response)))
    const headers = Object.fromEntries(answer.headers)
    // What is left of an unread body is not worth waiting for.
    if (!request.complete) headers.connection = 'close'
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
  }

export type { NodeRequest } from './node-request.ts'
