import { answerRequest } from './answer-request.ts'
import type { FastifyHost } from './fastify-host.ts'
import { hangUpSignal } from './hang-up-signal.ts'
import { toRequest } from './node-request.ts'
import type { Receiver } from './receiver/receiver.ts'

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
      method: ['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
      exposeHeadRoute: false,
      url,
      handler: async ({ raw }, reply) => {
        const answer = await answerRequest(
          () => toRequest(raw, hangUpSignal(reply.raw)),
          (built) => receiver.handle(built),
        )
        if (!raw.complete) answer.headers.set('connection', 'close')
        return reply.send(answer)
      },
    })
  }

export type { FastifyHost, FastifyReplier } from './fastify-host.ts'
export type { NodeRequest } from './node-request.ts'
