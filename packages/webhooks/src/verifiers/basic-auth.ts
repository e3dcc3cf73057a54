import { encodeBase64 } from '../base64.ts'
import { headerVerifier, nonEmptyValues } from './header-verifier.ts'
import type { Verifier } from './verifier.ts'

/** Options of {@link basicAuth}. */
export type BasicAuthOptions = {
  /** The name of the user, without a colon. */
  readonly username: string
  /** The password; several while it is changed. */
  readonly password: string | readonly string[]
}

const encoder = new TextEncoder()

/**
 * Accepts deliveries with HTTP Basic authorization (RFC 7617, in UTF-8). Whoever sees one request can send others, and
 * the same one again: use it over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a password is empty.
 * @example
 * const verify = basicAuth({ username: 'wabakit', password: process.env.WEBHOOK_PASSWORD ?? '' })
 */
export const basicAuth = ({ username, password }: BasicAuthOptions): Verifier =>
  headerVerifier({
    header: 'authorization',
    values: nonEmptyValues('password', password).map(
      (each) => `basic ${encodeBase64(encoder.encode(`${username}:${each}`))}`,
    ),
    normalise: (received) => received.replace(/^basic +/i, 'basic '),
  })
