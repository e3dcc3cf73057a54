import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertFetchMethod, createRequest, toUrl } from './adapter.ts'
import { isUnparsed } from './bytes.ts'

/** The properties that frameworks add to Node's request. */
type Kept = {
  /** The body as parsed by Express or Fastify. */
  readonly body?: unknown
  /** The unparsed bytes that NestJS and other frameworks keep. */
  readonly rawBody?: unknown
  /** The full URL, if a router has shortened `url`. */
  readonly originalUrl?: string
}

/** A request from node:http, or from a framework based on it. @inline */
export type NodeRequest = IncomingMessage & Kept

/** A request that contains Node's request: Fastify's as `raw`, Koa's as `req`. @inline */
export type NodeRequestHolder = ({ readonly raw: IncomingMessage } | { readonly req: IncomingMessage }) & Kept

export const findIncoming = (request: NodeRequest | NodeRequestHolder): IncomingMessage => {
  if ('raw' in request) return request.raw
  return 'req' in request ? request.req : request
}

const toHeaders = (request: IncomingMessage): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each)
  }
  return headers
}

/**
 * Returns a stream that reads on demand. Canceling it only pauses the request, so that a response can be written. If
 * other code has called `setEncoding`, restores the bytes.
 */
const toStream = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks: AsyncIterator<Buffer | string> = request[Symbol.asyncIterator]()
  const encoding = request.readableEncoding ?? 'utf8'
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? Buffer.from(value, encoding) : value)
    },
    cancel: () => {
      request.pause()
    },
  })
}

/** Creates a signal that aborts when the sender hangs up before the response is written. */
const createSignal = (outgoing: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}

/**
 * Converts a Node request to a Fetch request.
 *
 * @throws WebhookRequestError, or any error that a malformed header causes or a getter of the body throws.
 */
export const toRequest = (
  request: NodeRequest | NodeRequestHolder,
  outgoing: ServerResponse,
): Promise<Request> => {
  const incoming = findIncoming(request)
  const method = incoming.method ?? 'GET'
  assertFetchMethod(method)
  const url = toUrl(request.originalUrl ?? incoming.url ?? '/', 'http://localhost')
  const init = { method, headers: toHeaders(incoming), signal: createSignal(outgoing) }
  const kept = isUnparsed(request.rawBody) ? request.rawBody : request.body
  if (isUnparsed(kept)) return createRequest(url, { ...init, body: kept })
  const wasRead = incoming.readableDidRead || incoming.readableEnded
  return createRequest(url, { ...init, body: wasRead ? kept : toStream(incoming) })
}
