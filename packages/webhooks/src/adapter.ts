import { isWebhookRequestError, WebhookRequestError } from './errors.ts'
import { respondRejected, respondUnhandled } from './receiver/error-response.ts'
import { assertPost } from './receiver/read-request.ts'

const forbidden = ['CONNECT', 'TRACE', 'TRACK']

/** @throws WebhookRequestError for a method that Fetch forbids. */
export const assertFetchMethod = (method: string): void => {
  if (forbidden.includes(method)) assertPost(method)
}

/**
 * Converts a request target to a URL. A path stays a path, however many slashes it starts with. Credentials are removed,
 * because Fetch rejects them.
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

/**
 * Builds a request and passes it to a receiver. Responds itself when Fetch cannot represent the request. Never rejects,
 * because in most frameworks an adapter that rejects ends the process.
 */
export const respond = async (
  build: () => Request | Promise<Request>,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> => {
  let request: Request
  try {
    request = await build()
  } catch (cause) {
    if (isWebhookRequestError(cause)) return respondRejected(cause)
    const message = 'The headers or the body of the request cannot be read.'
    return respondRejected(new WebhookRequestError('malformed_request', message, { cause }))
  }
  try {
    return await handle(request)
  } catch (error) {
    console.error('The handle function of a webhook receiver failed.', error)
    return respondUnhandled('failed')
  }
}
