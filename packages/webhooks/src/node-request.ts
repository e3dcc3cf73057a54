import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ByteCollector, createByteCollector, createStream } from '@wabakit/wire'
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

/** Number of bytes after which the sender has to wait until the receiver reads. */
const maxUnread = 1_048_576

/**
 * Returns a stream of the body. It takes the chunks as they arrive, before the receiver asks for them.
 * Otherwise, node:http would keep each one until it is read or the connection is closed: it limits their
 * bytes, but a chunk of one byte is an object of about 300, so that strangers could fill the memory.
 * Once the stream is canceled or a response has started, the rest of the body is dropped. If other code has called
 * `setEncoding`, restores the bytes.
 */
const toStream = (request: IncomingMessage, response: ServerResponse): ReadableStream<Uint8Array> => {
  const encoding = request.readableEncoding ?? 'utf8'
  let unread: ByteCollector | undefined
  let isDropped = false
  let onChange = (): void => {}
  request.on('data', (chunk: Buffer | string) => {
    if (isDropped || response.headersSent) {
      unread = undefined
      return
    }
    unread ??= createByteCollector()
    unread.add(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    if (unread.length > maxUnread) request.pause()
    onChange()
  })
  return createStream({
    start: (controller) => {
      const fail = (error?: Error): void => {
        if (!request.readableEnded) controller.error(error)
      }
      request
        .on('end', () => onChange())
        .on('error', fail)
        .on('close', fail)
    },
    pull: async (controller) => {
      if (unread === undefined && !request.readableEnded) {
        const { promise, resolve } = Promise.withResolvers<void>()
        onChange = resolve
        request.resume()
        await promise
      }
      if (unread === undefined) return controller.close()
      controller.enqueue(unread.toBytes())
      unread = undefined
    },
    cancel: () => {
      isDropped = true
      request.resume()
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
  const kept = isUnparsed(request.rawBody) ? request.rawBody : request.body
  const wasRead = incoming.readableDidRead || incoming.readableEnded
  const body = wasRead || isUnparsed(kept) ? kept : toStream(incoming, outgoing)
  const method = incoming.method ?? 'GET'
  assertFetchMethod(method)
  const url = toUrl(request.originalUrl ?? incoming.url ?? '/', 'http://localhost')
  return createRequest(url, { method, headers: toHeaders(incoming), signal: createSignal(outgoing), body })
}
