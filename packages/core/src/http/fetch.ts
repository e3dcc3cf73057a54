import { createByteCollector, toBodyStream } from '@wabakit/wire'
import type { Api, ConnectionInfo } from './api.ts'
import type { ApiRequest } from './exchange.ts'

const readStream = async (
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> => {
  const reader = body.getReader()
  const bytes = createByteCollector()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.toBytes()
    if (bytes.length + value.length > maxBytes) {
      // This is not awaited, because a sender that does not stop must not delay the response.
      reader.cancel().catch(() => {})
      return undefined
    }
    bytes.add(value)
  }
}

/** Reads a `Request` from any runtime. */
export const toApiRequest = (request: Request): ApiRequest => {
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  return {
    method,
    path: pathname,
    query: search,
    headers,
    readBody: (maxBytes) => readStream(toBodyStream(request), maxBytes),
  }
}

export const createFetch =
  (respond: Api) =>
  async (request: Request, connection?: ConnectionInfo): Promise<Response> => {
    const { body, ...init } = await respond(toApiRequest(request), connection)
    return new Response(body, init)
  }
