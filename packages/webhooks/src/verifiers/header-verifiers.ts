import { encodeBase64, encoder } from '../bytes.ts'
import { WebhookUsageError, WebhookVerificationError } from '../errors.ts'
import { type OnDemand, prepare } from '../on-demand.ts'
import { assertOptions } from '../usage.ts'
import type { Verifier } from './verifier.ts'
import { apply, equalsInConstantTime } from './verify-signature.ts'

/** One secret value, or several values during a rotation, or a function that returns them. */
type Values = OnDemand<string | readonly string[]>

/** @throws WebhookVerificationError when a value is empty, because an empty value would accept anyone. */
const toList = (value: string | readonly string[]): readonly string[] => {
  const values = typeof value === 'string' ? [value] : (value ?? [])
  if (values.length > 0 && values.every((each) => typeof each === 'string' && each.trim() !== ''))
    return values
  throw new WebhookVerificationError('invalid_secret', 'A secret is empty. Is its environment variable set?')
}

/** Creates a verifier that compares one header in constant time, before the body is read. */
const createHeaderVerifier = (
  header: string,
  values: Values,
  toHeader: (value: string) => string,
  normalize = (received: string): string => received,
): Verifier => {
  const convert = (value: string | readonly string[]) => toList(value).map(toHeader)
  const secrets = prepare(values, { convert, now: () => Date.now() })

  const compare = (received: string, expected: readonly string[]): undefined => {
    // Compares every value, so that the time does not reveal which one matched.
    if (expected.filter((each) => equalsInConstantTime(each, received)).length > 0) return
    throw new WebhookVerificationError(
      'no_matching_signature',
      `The header ${header} does not match. Does the sender use the same value?`,
      { header },
    )
  }
  const checkHeaders = (headers: Headers, clock?: () => number): undefined | Promise<undefined> => {
    const received = headers.get(header)
    if (received === null) {
      throw new WebhookVerificationError('missing_header', `The header ${header} is missing.`, { header })
    }
    return apply(secrets(clock), (expected) => compare(normalize(received), expected))
  }
  const verify: Verifier = async ({ headers, now }) => {
    await checkHeaders(headers, now)
    return true
  }
  return Object.assign(verify, { checkHeaders })
}

/** Options for {@link staticHeader}. @inline */
type StaticHeaderOptions = {
  /** Name of the header, case-insensitive. */
  readonly header: string
  /**
   * The value that the header must have, or several values during a rotation. A function is called for the first request,
   * and again after a minute.
   */
  readonly value: OnDemand<string | readonly string[]>
}

/**
 * Accepts deliveries that carry a fixed header, for services that cannot sign. A stranger who sees one request can
 * replay it and send others, so use this verifier only over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a value is empty.
 * @throws WebhookUsageError for an unknown option, or when `header` is not the name of a header.
 * @example
 * const verify = staticHeader({ header: 'x-webhook-token', value: process.env.WEBHOOK_TOKEN ?? '' })
 */
export const staticHeader = (options: StaticHeaderOptions): Verifier => {
  assertOptions('staticHeader()', options, ['header', 'value'])
  const { header, value } = options
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw new WebhookUsageError('header must be the name of a header.')
  return createHeaderVerifier(header, value, (each) => each.trim())
}

/** Options for {@link basicAuth}. @inline */
type BasicAuthOptions = {
  /** The user name, without a colon. */
  readonly username: string
  /**
   * The password, or several passwords during a rotation. A function is called for the first request, and again after a
   * minute.
   */
  readonly password: OnDemand<string | readonly string[]>
}

/**
 * Accepts deliveries with HTTP Basic authentication (RFC 7617, in UTF-8). A stranger who sees one request can replay it
 * and send others, so use this verifier only over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a password is empty.
 * @throws WebhookUsageError for an unknown option.
 * @example
 * const verify = basicAuth({ username: 'wabakit', password: process.env.WEBHOOK_PASSWORD ?? '' })
 */
export const basicAuth = (options: BasicAuthOptions): Verifier => {
  assertOptions('basicAuth()', options, ['username', 'password'])
  const { username, password } = options
  return createHeaderVerifier(
    'authorization',
    password,
    (each) => `basic ${encodeBase64(encoder.encode(`${username}:${each}`))}`,
    (received) => received.replace(/^basic +/i, 'basic '),
  )
}
