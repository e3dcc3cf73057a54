import { ControlError } from '@wabakit/core/hosting'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import type { TokenCheck } from './token-check.ts'

export type GuardOptions = {
  /** Checks the control token; if `undefined`, requests must name a loopback host, such as `localhost`. */
  readonly checkToken: TokenCheck | undefined
  /** The URL at which other machines reach the server, if configured. */
  readonly publicUrl: string | undefined
}

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

/**
 * Creates the guard of the control API. It rejects requests from web pages of other sites, and requests to foreign host
 * names, which could resolve to this machine (DNS rebinding). With a token, the host name does not matter, because a
 * page does not know the token.
 */
export const createGuard = ({ checkToken, publicUrl }: GuardOptions) => {
  const publicHost = publicUrl === undefined ? undefined : getHost(publicUrl)

  const checkHost = (url: URL): void => {
    if (checkToken !== undefined || isLoopbackHost(url.hostname)) return
    throw new ControlError(
      'host_not_allowed',
      `The host ${JSON.stringify(url.host)} is not this machine. Set a controlToken to allow other hosts.`,
    )
  }

  const checkOrigin = ({ headers }: Request, url: URL): void => {
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    const isOwn = origin === null || [url.host, publicHost].includes(getHost(origin))
    if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return
    throw new ControlError('origin_not_allowed', 'Pages of other sites may not use the control API.')
  }

  const isLink = ({ headers }: Request): boolean =>
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'

  return {
    /** Rejects with a ControlError or a RequestRefusedError `rate_limited` if a request is not allowed. */
    check: async (request: Request, remoteAddress: string | undefined): Promise<void> => {
      const url = new URL(request.url)
      checkHost(url)
      checkOrigin(request, url)
      await checkToken?.(request.headers, remoteAddress)
    },
    /**
     * Checks a request for an inspector file. It needs no token, because the file is the same for every user. Other
     * sites may link to the inspector, because their pages cannot read it. Throws a ControlError if it is not allowed.
     */
    checkFile: (request: Request): void => {
      const url = new URL(request.url)
      checkHost(url)
      if (!isLink(request)) checkOrigin(request, url)
    },
  }
}
