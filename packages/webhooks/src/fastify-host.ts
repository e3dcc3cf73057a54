import type { ServerResponse } from 'node:http'
import type { NodeRequest } from './node-request.ts'

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
