import type { ServerResponse } from 'node:http'
import { answerRequest } from './answer-request.ts'
import { hangUpSignal } from './hang-up-signal.ts'
import { type NodeRequest, toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

const writeAnswer = async (answer: Response, request: NodeRequest, response: ServerResponse) => {
  const body = Buffer.from(await answer.arrayBuffer())
  // Something else, such as a time-out of the framework, has responded already.
  if (response.headersSent) return
  const headers = Object.fromEntries(answer.headers)
  // What is left of an unread body is not worth waiting for.
  if (!request.complete) headers.connection = 'close'
  response.writeHead(answer.status, headers).end(body)
}

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
    const answer = await answerRequest(
      () => toRequest(request, hangUpSignal(response)),
      (built) => receiver.handle(built),
    )
    try {
      await writeAnswer(answer, request, response)
    } catch (error) {
      console.error('The response to a webhook could not be written.', error)
      response.destroy()
    }
  }

export type { NodeRequest } from './node-request.ts'
