import type { IncomingMessage } from 'node:http'
import { assertFetchMethod } from './answer-request.ts'
import { toUrl } from './request-url.ts'

/** A request as node:http and the frameworks on it give it; a body parser may have left the bytes on it. */
export type NodeRequest = IncomingMessage & {
  /** What Express's parsers make of the body. */
  readonly body?: unknown
  /** The bytes that NestJS and others keep. */
  readonly rawBody?: unknown
  /** The whole address, where a router shortens `url`. */
  readonly originalUrl?: string
}

const toHeaders = (request: IncomingMessage): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each)
  }
  return headers
}

/** Reads on demand; an abandoned body is left where it is, so that an answer can still be written. */
const toStream = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks: AsyncIterator<Buffer> = request[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => {
      request.pause()
    },
  })
}

const isBody = (value: unknown): value is string | Uint8Array<ArrayBuffer> =>
  typeof value === 'string' || ArrayBuffer.isView(value)

/** The bytes that a body parser has kept; `body` may be a getter that parses, and throws. */
const keptBody = (incoming: NodeRequest): string | Uint8Array<ArrayBuffer> | undefined => {
  if (isBody(incoming.rawBody)) return incoming.rawBody
  return isBody(incoming.body) ? incoming.body : undefined
}

/**
 * Returns the Fetch form of a Node request. When a body parser has left no bytes, the request's body is used up, which
 * the receiver explains to the sender.
 *
 * @throws WebhookRequestError, or whatever a malformed header or a getter of the body throws.
 */
export const toRequest = async (incoming: NodeRequest, signal: AbortSignal): Promise<Request> => {
  const method = incoming.method ?? 'GET'
  assertFetchMethod(method)
  const url = toUrl(incoming.originalUrl ?? incoming.url ?? '/', 'http://localhost')
  const init = { method, headers: toHeaders(incoming), signal }
  if (method === 'GET' || method === 'HEAD') return new Request(url, init)
  const body = keptBody(incoming)
  if (body === undefined && !incoming.readableDidRead && !incoming.readableEnded) {
    const streamed: RequestInit & { duplex: 'half' } = { ...init, body: toStream(incoming), duplex: 'half' }
    return new Request(url, streamed)
  }
  const request = new Request(url, { ...init, body: body ?? '' })
  if (body === undefined) await request.text()
  return request
}
