import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertFetchMethod, toUrl } from './adapter.ts'

/** A request of node:http, or of a framework based on it. A body parser may have kept the bytes in it. */
export type NodeRequest = IncomingMessage & {
  /** The body as parsed by Express. */
  readonly body?: unknown
  /** The bytes that NestJS and others keep. */
  readonly rawBody?: unknown
  /** The whole URL, where a router shortens `url`. */
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

/** Reads on demand. When the stream is cancelled, the request is only paused, so that a response can still be written. */
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

/** Returns the bytes that a body parser has kept. `body` may be a getter that parses and throws. */
const findKeptBody = (incoming: NodeRequest): string | Uint8Array<ArrayBuffer> | undefined => {
  if (isBody(incoming.rawBody)) return incoming.rawBody
  return isBody(incoming.body) ? incoming.body : undefined
}

/** Aborts when the sender hangs up before the response is written. */
const createSignal = (outgoing: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  return controller.signal
}

/**
 * Converts a Node request to a Fetch request. When a body parser has kept no bytes, the body of the new request is
 * already used, so that the receiver explains this to the sender.
 *
 * @throws WebhookRequestError, or whatever a malformed header or a getter of the body throws.
 */
export const toRequest = async (incoming: NodeRequest, outgoing: ServerResponse): Promise<Request> => {
  const method = incoming.method ?? 'GET'
  assertFetchMethod(method)
  const url = toUrl(incoming.originalUrl ?? incoming.url ?? '/', 'http://localhost')
  const init = { method, headers: toHeaders(incoming), signal: createSignal(outgoing) }
  if (method === 'GET' || method === 'HEAD') return new Request(url, init)
  const body = findKeptBody(incoming)
  if (body === undefined && !incoming.readableDidRead && !incoming.readableEnded) {
    const streamed: RequestInit & { duplex: 'half' } = { ...init, body: toStream(incoming), duplex: 'half' }
    return new Request(url, streamed)
  }
  const request = new Request(url, { ...init, body: body ?? '' })
  if (body === undefined) await request.text()
  return request
}
