import type { ServerResponse } from 'node:http'
import { hangUpSignal, type NodeRequest, toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

/** What is needed of a Fastify instance, version 5. */
export type FastifyHost = {
  /** Forgets the parsers that would read the body. */
  removeAllContentTypeParsers(): void
  /** Adds a parser for bodies of a type. */
  addContentTypeParser(
    contentType: string,
    parser: (request: object, payload: object, done: (error: Error | null) => void) => void,
  ): unknown
  /** Adds a route. */
  route(options: {
    method: string[]
    url: string
    exposeHeadRoute: boolean
    handler: (request: { raw: NodeRequest }, reply: FastifyReplier) => unknown
  }): unknown
}

/** What is needed of a Fastify reply. */
export type FastifyReplier = {
  /** The response of node:http. */
  readonly raw: ServerResponse
  /** Sends a Fetch response. */
  send(payload: Response): unknown
}

/** Options of {@link toFastifyPlugin}. */
export type FastifyPluginOptions = {
  /**
   * Path of the webhook, below the plugin's prefix.
   * @default '/'
   */
  readonly url?: string
}

/**
 * Makes a receiver a Fastify plugin with one route. Its body is left unparsed; the rest of the app keeps its parsers.
 *
 * @example
 * app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
 */
export const toFastifyPlugin =
  (receiver: Pick<Receiver, 'handle'>, { url = '/' }: FastifyPluginOptions = {}) =>
  async (app: FastifyHost): Promise<void> => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.route({
      // The others are answered 405; the HEAD route that Fastify would add cannot send a Fetch response.
      method: ['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
      exposeHeadRoute: false,
      url,
      handler: async ({ raw }, reply) => {
        const answer = await receiver.handle(await toRequest(raw, hangUpSignal(reply.raw)))
        if (!raw.complete) answer.headers.set('connection', 'close')
        return reply.send(answer)
      },
    })
  }
