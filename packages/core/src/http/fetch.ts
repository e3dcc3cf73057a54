import { readBytes, toBodyStream } from '@wabakit/wire'
import type { Api, ConnectionInfo } from './api.ts'
import type { ApiRequest } from './exchange.ts'

/** Adapts a `Request` of any runtime. */
export const toApiRequest = (request: Request): ApiRequest => {
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  return {
    method,
    path: pathname,
    query: search,
    headers,
    readBody: (maxBytes) => readBytes(toBodyStream(request), maxBytes),
  }
}

export const createFetch =
  (respond: Api) =>
  async (request: Request, connection?: ConnectionInfo): Promise<Response> => {
    const { body, ...init } = await respond(toApiRequest(request), connection)
    return new Response(body, init)
  }
