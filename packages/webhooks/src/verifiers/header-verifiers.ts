import { encodeBase64 } from '../base64.ts'
import { WebhookVerificationError } from '../errors.ts'
import { encoder } from '../payload.ts'
import { equalsInConstantTime } from '../signature/verify-signature.ts'
import type { Verifier } from './verifier.ts'

/** @throws WebhookVerificationError when a value is empty, because it would accept anyone. */
const toValues = (what: string, value: string | readonly string[]): readonly string[] => {
  const values = typeof value === 'string' ? [value] : (value ?? [])
  if (values.length > 0 && values.every((each) => typeof each === 'string' && each.trim() !== ''))
    return values
  throw new WebhookVerificationError(
    'invalid_secret',
    `The ${what} is empty. Is its environment variable set?`,
  )
}

/** Compares one header in constant time, before the body is read. */
const createHeaderVerifier = (
  header: string,
  { values, normalize }: { values: readonly string[]; normalize: (received: string) => string },
): Verifier => {
  const checkHeaders = (headers: Headers): undefined => {
    const received = headers.get(header)
    if (received === null) {
      throw new WebhookVerificationError('missing_header', `The header ${header} is missing.`, { header })
    }
    // Every value is compared, so that the time does not reveal which one matched.
    const candidate = normalize(received)
    if (values.filter((value) => equalsInConstantTime(value, candidate)).length > 0) return
    throw new WebhookVerificationError('no_matching_signature', `The header ${header} does not match.`, {
      header,
    })
  }
  const verify: Verifier = ({ headers }) => {
    checkHeaders(headers)
    return true
  }
  return Object.assign(verify, { checkHeaders })
}

/** Options for {@link staticHeader}. */
export type StaticHeaderOptions = {
  /** Name of the header, in any case. */
  readonly header: string
  /** The value that the header must have. During a rotation, several. */
  readonly value: string | readonly string[]
}

/**
 * Accepts deliveries that carry a fixed header, for services that cannot sign. Whoever sees one request can send others
 * and replay this one: use it over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a value is empty.
 * @example
 * const verify = staticHeader({ header: 'x-webhook-token', value: process.env.WEBHOOK_TOKEN ?? '' })
 */
export const staticHeader = ({ header, value }: StaticHeaderOptions): Verifier =>
  createHeaderVerifier(header, {
    values: toValues('value of the header', value).map((each) => each.trim()),
    normalize: (received) => received,
  })

/** Options for {@link basicAuth}. */
export type BasicAuthOptions = {
  /** The user name, without a colon. */
  readonly username: string
  /** The password. During a rotation, several. */
  readonly password: string | readonly string[]
}

/**
 * Accepts deliveries with HTTP Basic authorization (RFC 7617, in UTF-8). Whoever sees one request can send others and
 * replay this one: use it over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a password is empty.
 * @example
 * const verify = basicAuth({ username: 'wabakit', password: process.env.WEBHOOK_PASSWORD ?? '' })
 */
export const basicAuth = ({ username, password }: BasicAuthOptions): Verifier => {
  return createHeaderVerifier('authorization', {
    values: toValues('password', password).map(
      (each) => `basic ${encodeBase64(encoder.encode(`${username}:${each}`))}`,
    ),
    normalize: (received) => received.replace(/^basic +/i, 'basic '),
  })
}
