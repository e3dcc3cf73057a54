import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLinger } from '@wabakit/wire'
import { type RequestHandler, respond } from './adapter.ts'
import { WebhookUsageError } from './errors.ts'
import { toRequest } from './node-request.ts'
import { assertOptions } from './usage.ts'

export type { RequestHandler } from './adapter.ts'

/** The part of a Fastify 5 instance that the plugin uses. @inline */
type FastifyHost = {
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
    handler: (request: { raw: IncomingMessage }, reply: FastifyReplier) => unknown
  }): unknown
}

/** The part of a Fastify reply that the plugin uses. @inline */
type FastifyReplier = {
  /** The node:http response. */
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
  readonly url?: string | undefined
}

/**
 * Turns a receiver into a Fastify plugin with one route, which gets unparsed bodies. The rest of the app
 * keeps its parsers. Treats the rest of a refused body like `toNodeHandler`.
 *
 * @example
 * app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
 */
export const toFastifyPlugin =
  (receiver: RequestHandler, options: FastifyPluginOptions = {}) =>
  async (app: FastifyHost): Promise<void> => {
    assertOptions('toFastifyPlugin()', options, ['url'])
    if (typeof Object(app).route !== 'function')
      throw new WebhookUsageError(
        'toFastifyPlugin() returns a plugin. Pass it to app.register(), not to a route.',
      )
    const { url = '/' } = options
    const linger = createLinger()
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.route({
      // The receiver responds with 405 to all methods except POST. The HEAD route that Fastify would add
      // cannot send a Fetch response.
      method: ['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
      exposeHeadRoute: false,
      url,
      handler: async ({ raw }, reply) => {
        const response = await respond(
          () => toRequest(raw, reply.raw),
          (request) => receiver.handle(request),
        )
        return reply.send(await linger.hold(raw, response))
      },
    })
  }
