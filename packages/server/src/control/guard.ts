import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopbackHost } from '../host/loopback.ts'
import { ControlError } from './control-error.ts'

/** Who may use the control API. */
export type GuardOptions = {
  /** What callers must send as `Authorization: Bearer …`; without it only this machine's own may call. */
  readonly token: string | undefined
  /** Where others reach the server, if that was configured. */
  readonly publicUrl: string | undefined
}

/** @throws ControlError when a request may not be let in. */
export type Guard = (request: Request) => void

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const equalInConstantTime = (left: string, right: string): boolean =>
  timingSafeEqual(digest(left), digest(right))

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

const checkToken = ({ headers }: Request, token: string): void => {
  const sent = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
  if (equalInConstantTime(sent, token)) return
  throw new ControlError('token_required', 'Send the control token as "Authorization: Bearer …".')
}

/**
 * Makes the guard. It lets nobody in whom a web page sent: not by a name that leads to this machine (DNS rebinding; a
 * page has no token, so where one is asked for the name does not matter), and not from another site.
 */
export const createGuard = ({ token, publicUrl }: GuardOptions): Guard => {
  const publicHost = publicUrl === undefined ? undefined : hostOf(publicUrl)

  const checkHost = (url: URL): void => {
    if (token !== undefined || isLoopbackHost(url.hostname)) return
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

  return (request) => {
    const url = new URL(request.url)
    checkHost(url)
    checkOrigin(request, url)
    if (token !== undefined) checkToken(request, token)
  }
}
