import { isLoopbackHost } from '../host/loopback.ts'
import type { TokenCheck } from '../host/token-check.ts'
import { ControlError } from './control-error.ts'

/** Who may use the control API. */
export type GuardOptions = {
  /** Checks the control token; without it only this machine's own may call. */
  readonly checkToken: TokenCheck | undefined
  /** Where others reach the server, if that was configured. */
  readonly publicUrl: string | undefined
}

/** Rejects with a ControlError, or with a RequestRefusedError `rate_limited`, when a request may not be let in. */
export type Guard = (request: Request, remoteAddress: string | undefined) => Promise<void>

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

/**
 * Makes the guard. It lets nobody in whom a web page sent: not by a name that leads to this machine (DNS rebinding; a
 * page has no token, so where one is asked for the name does not matter), and not from another site.
 */
export const createGuard = ({ checkToken, publicUrl }: GuardOptions): Guard => {
  const publicHost = publicUrl === undefined ? undefined : hostOf(publicUrl)

  const checkHost = (url: URL): void => {
    if (checkToken !== undefined || isLoopbackHost(url.hostname)) return
    throw new ControlError(
      'host_not_allowed',
      `The host ${JSON.stringify(url.host)} is not this machine. Set a controlToken to allow others.`,
    )
  }

  const checkOrigin = ({ headers }: Request, url: URL): void => {
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    const isOwn = origin === null || [url.host, publicHost].includes(hostOf(origin))
    if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return
    throw new ControlError('origin_not_allowed', 'Pages of other sites may not use the control API.')
  }

  return async (request, remoteAddress) => {
    const url = new URL(request.url)
    checkHost(url)
    checkOrigin(request, url)
    await checkToken?.(request.headers, remoteAddress)
  }
}
