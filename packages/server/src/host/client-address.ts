import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** What a request that came over HTTP tells besides its contents. */
export type Incoming = {
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Whether all of it has arrived. */
  readonly complete: boolean
  readonly socket: { readonly remoteAddress?: string | undefined; destroy(): unknown }
}

/**
 * The address of who makes a request. With proxies in front, the last `trustProxy` entries of `X-Forwarded-For` were
 * written by them, each naming the one it was called by; what stands before these can be made up and is not looked at.
 *
 * @param trustProxy - how many proxies stand in front; 0 makes the header mean nothing.
 */
export const clientAddress = ({ headers, socket }: Incoming, trustProxy: number): string | undefined => {
  if (trustProxy === 0) return socket.remoteAddress
  // Node joins repeated headers of this name by commas.
  const entries = String(headers['x-forwarded-for'] ?? '').split(',')
  const named = entries.at(-trustProxy)?.trim() ?? ''
  return isIP(named) === 0 ? socket.remoteAddress : named
}
