import { isLoopbackHost } from '../delivery/target-policy.ts'

/**
 * Returns whether a URL may get an event whose payload comes from a caller. An endpoint cannot distinguish it from a
 * genuine event, so only the developer's own machine may get it, unless the server is a sandbox. Each attempt checks
 * this again.
 */
export const allowsCustomPayload = (url: string, { sandbox }: { readonly sandbox: boolean }): boolean =>
  sandbox || isLoopbackHost(new URL(url).hostname)
