import type { IncomingMessage } from 'node:http'

/**
 * Brings the target of a request into origin form (`/path?query`), without credentials. The host of an absolute form
 * takes the place of the Host header (RFC 9112, section 3.2.2).
 *
 * @returns false when the target names no path of a server, or a request of HTTP/1.1 names no host.
 */
export const normalizeTarget = (incoming: IncomingMessage): boolean => {
  const { url = '', headers, httpVersion } = incoming
  if (headers.host === undefined && httpVersion === '1.1') return false
  if (url.startsWith('/')) return true
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return false
  const { host, pathname, search } = new URL(url)
  headers.host = host
  incoming.url = pathname + search
  return true
}
