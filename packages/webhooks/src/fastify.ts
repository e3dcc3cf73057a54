import type { ServerResponse } from 'node:http'
import { respond } from './adapter.ts'
import { type NodeRequest, toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

/** The required part of a Fastify instance, version 5. */
export type FastifyHost = {
  /** Removes the parsers that would read the body. */
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

/** The required part of a Fastify reply. */
export type FastifyReplier = {
  /** The response of node:http. */
  readonly raw: ServerResponse
  /** Sends a Fetch response. */
  send(payload: Response): unknown
}

/** Options for {@link toFastifyPlugin}. */
export type FastifyPluginOptions = {
  /**
   * Path of the webhook, below the plugin's prefix.
   * @default '/'
   */
  readonly url?: string
}

/**
 * Turns a receiver into a Fastify plugin with one route. The route gets unparsed bodies; the rest of the app keeps its
 * parsers.
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
      // The receiver responds 405 to the others. The HEAD route that Fastify would add cannot send a Fetch response.
      method: ['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
      exposeHeadRoute: false,
      url,
      handler: async ({ raw }, reply) => {
        const response = await respond(
          () => toRequest(raw, reply.raw),
          (request) => receiver.handle(request),
        )
        if (!raw.complete) response.headers.set('connection', 'close')
        return reply.send(response)
      },
    })
  }

export type { NodeRequest } from './node-request.ts'
