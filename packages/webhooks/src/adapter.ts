import { receiveRequest } from '@wabakit/wire'
import { encoder, isUnparsed } from './bytes.ts'
import { isWebhookRequestError, WebhookRequestError } from './errors.ts'
import { keepParsedBody } from './parsed-body.ts'
import { respondRejected, respondRetry } from './receiver/error-response.ts'
import { assertPost } from './receiver/read-request.ts'

/** The part of a receiver that adapters use. @inline */
export type RequestHandler = { handle(request: Request, host?: object): Promise<Response> }

const forbidden = ['CONNECT', 'TRACE', 'TRACK']

/** @throws WebhookRequestError for a method that Fetch forbids. */
export const assertFetchMethod = (method: string): void => {
  if (forbidden.includes(method)) assertPost(method)
}

/**
 * Converts a request target to a URL. A target that starts with several slashes is still a path, not a host.
 * Removes credentials, because Fetch rejects them.
 *
 * @throws WebhookRequestError when the target is neither a path nor an HTTP URL.
 */
export const toUrl = (target: string, origin: string): string => {
  const url = URL.parse(target.startsWith('/') ? origin + target : target, origin)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new WebhookRequestError('malformed_request', 'The request target must be a path or an HTTP URL.')
  }
  url.username = ''
  url.password = ''
  return url.href
}

const isStream = (body: unknown): body is ReadableStream => typeof Object(body).getReader === 'function'

/**
 * Creates a request. If a parser has already read the body, marks the body of the new request as used, and
 * attaches the parsed body.
 */
export const createRequest = async (
  url: string,
  { body, ...init }: { method: string; headers: Headers; signal?: AbortSignal; body: unknown },
): Promise<Request> => {
  if (init.method === 'GET' || init.method === 'HEAD') return receiveRequest(url, init)
  if (isStream(body)) {
    const streamed = { ...init, body, duplex: 'half' as const }
    return receiveRequest(url, streamed)
  }
  // For text, the constructor would add a content type that the sender did not send.
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const request = receiveRequest(url, { ...init, body: isUnparsed(bytes) ? bytes : new Uint8Array() })
  if (!isUnparsed(body)) {
    await request.text()
    keepParsedBody(request, body)
  }
  return request
}

/**
 * Builds a request and passes it to a receiver. If Fetch cannot represent the request, responds without
 * calling the receiver. Never rejects, because in most frameworks a rejection would end the process.
 */
export const respond = async (
  build: () => Request | Promise<Request>,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> => {
  let request: Request
  try {
    request = await build()
  } catch (error) {
    if (isWebhookRequestError(error)) return respondRejected(error)
    const message = 'The headers or the body of the request cannot be read.'
    return respondRejected(new WebhookRequestError('malformed_request', message))
  }
  try {
    return await handle(request)
  } catch (error) {
    console.error('The handle function of a webhook receiver failed.', error)
    return respondRetry('failed')
  }
}
