import { WebhookRequestError } from './errors/webhook-request-error.ts'

/**
 * Returns the URL of a request target. A path stays a path, however many slashes it starts with, and credentials are
 * dropped: Fetch refuses both `//user@host/` and `http://user@host/`.
 *
 * @throws WebhookRequestError when the target is not the address of anything on an HTTP server.
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
