import { createHash, timingSafeEqual } from 'node:crypto'
import type { RateLimits } from '@wabakit/core/hosting'
import { ControlError } from '../control/control-error.ts'

/** What {@link createTokenCheck} works with. */
export type TokenCheckOptions = {
  /** What callers must send as `Authorization: Bearer …`. */
  readonly token: string
  /** What the token is called in errors, such as `control token`. */
  readonly name: string
  readonly limits: Pick<RateLimits, 'admitStranger' | 'refuseExhausted'>
}

/**
 * Checks the token of a request.
 *
 * @throws ControlError `token_required`.
 * @throws RequestRefusedError `rate_limited` when the address has sent too many wrong tokens; the right one is then
 *   refused, too, or guessing would go on.
 */
export type TokenCheck = (headers: Headers, remoteAddress: string | undefined) => Promise<void>

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Creates the check of one token. Texts of any length are compared as a whole and in constant time: as hashes. */
export const createTokenCheck = ({ token, name, limits }: TokenCheckOptions): TokenCheck => {
  const expected = digest(token)
  return async (headers, remoteAddress) => {
    limits.refuseExhausted(remoteAddress)
    const sent = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
    if (timingSafeEqual(digest(sent), expected)) return
    await limits.admitStranger(remoteAddress)
    throw new ControlError('token_required', `Send the ${name} as "Authorization: Bearer …".`)
  }
}
