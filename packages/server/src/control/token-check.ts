import { createHash, timingSafeEqual } from 'node:crypto'
import type { ApiRequest } from '@wabakit/core'
import type { RateLimits } from '@wabakit/core/hosting'
import { ControlError } from '@wabakit/core/hosting'

type TokenCheckOptions = {
  /** The token that clients must send as `Authorization: Bearer …`. */
  readonly token: string
  readonly name: string
  readonly limits: Pick<RateLimits, 'admitStranger' | 'startGuess'>
}

/**
 * Checks the token of a request.
 *
 * @throws ControlError `token_required`.
 * @throws RequestRefusedError `rate_limited` when the address has sent too many requests without a valid key or token. In that
 *   case, even the correct token is refused, so that guessing cannot continue.
 */
export type TokenCheck = (headers: ApiRequest['headers'], remoteAddress: string | undefined) => Promise<void>

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Creates a check for one token. Compares hashes, because a comparison in constant time requires values of equal
 * length.
 */
export const createTokenCheck = ({ token, name, limits }: TokenCheckOptions): TokenCheck => {
  const expected = hash(token)
  return async (headers, remoteAddress) => {
    const endGuess = limits.startGuess(remoteAddress)
    const sent = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
    if (timingSafeEqual(hash(sent), expected)) return endGuess()
    const counted = await limits.admitStranger(remoteAddress).finally(endGuess)
    throw new ControlError('token_required', `Send the ${name} as "Authorization: Bearer …".`, {
      headers: { 'www-authenticate': 'Bearer', ...counted },
    })
  }
}
