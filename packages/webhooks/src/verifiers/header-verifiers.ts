import { encoder } from '../bytes.ts'
import { WebhookUsageError, WebhookVerificationError } from '../errors.ts'
import { type OnDemand, prepare } from '../on-demand.ts'
import { assertOptions } from '../usage.ts'
import { matchesAny, reject, toList, type Values } from './secret-values.ts'
import type { Verifier } from './verifier.ts'
import { apply } from './verify-signature.ts'

/**
 * Returns every form in which a value can appear in `Headers`. `Headers` always decodes bytes as Latin-1, but
 * senders encode text as UTF-8 or Latin-1.
 */
const toReceived = (text: string): readonly string[] => {
  const utf8 = Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('')
  return utf8 === text || /[^\0-\xff]/.test(text) ? [utf8] : [utf8, text]
}

/** Creates a verifier that compares one header in constant time, before the body is read. */
const createHeaderVerifier = (
  header: string,
  values: Values,
  {
    scheme,
    toHeaders,
  }: { readonly scheme: string; readonly toHeaders: (value: string) => readonly string[] },
  normalize = (received: string): string => received,
): Verifier => {
  const convert = (value: string | readonly string[]) => toList(value).flatMap(toHeaders)
  const secrets = prepare(values, { convert, now: () => Date.now() })

  const compare = (received: string, expected: readonly string[]): undefined => {
    if (matchesAny(expected, received)) return
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
  return Object.assign(verify, { checkHeaders, ignoresBody: true, scheme })
}

/** Creates a verifier for an HTTP authentication scheme, whose name may be in any case (RFC 9110 section 11.1). */
const createAuthorizationVerifier = (
  scheme: 'basic' | 'bearer',
  values: Values,
  toCredentials: (value: string) => readonly string[],
): Verifier =>
  createHeaderVerifier(
    'authorization',
    values,
    {
      scheme: `${scheme}Auth`,
      toHeaders: (value) => toCredentials(value).map((credentials) => `${scheme} ${credentials}`),
    },
    (received) => received.replace(/^(basic|bearer) +/i, (_, name: string) => `${name.toLowerCase()} `),
  )

/** Options for {@link staticHeader}. @inline */
type StaticHeaderOptions = {
  /** Name of the header, case-insensitive. */
  readonly header: string
  /**
   * The value that the header must have, or several values during a rotation. A function is called when the
   * first request with the header arrives, and its result is kept for a minute.
   */
  readonly value: OnDemand<string | readonly string[]>
}

/**
 * Accepts deliveries that carry a fixed header, for services that cannot sign. Anyone who sees one request
 * can replay it and send others, so use this verifier only over https, with an inbox or `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when there is no value, or when one is empty, has
 *   no credentials, such as `Bearer` alone or `undefined`, or contains a character that no header can contain. If `value` is
 *   a function, requests get a 503 instead.
 * @throws WebhookUsageError for an unknown option, or when `header` is not the name of a header.
 * @example
 * const verify = staticHeader({ header: 'x-webhook-token', value: process.env.WEBHOOK_TOKEN ?? '' })
 */
export const staticHeader = (options: StaticHeaderOptions): Verifier => {
  assertOptions('staticHeader()', options, ['header', 'value'])
  const { header, value } = options
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw new WebhookUsageError('header must be the name of a header.')
  return createHeaderVerifier(header, value, {
    scheme: 'staticHeader',
    toHeaders: (each) => toReceived(each.trim()),
  })
}

/** Options for {@link bearerAuth}. @inline */
type BearerAuthOptions = {
  /**
   * The token after `Bearer`, or several tokens during a rotation. A function is called when the first
   * request with the header arrives, and its result is kept for a minute.
   */
  readonly token: OnDemand<string | readonly string[]>
}

/**
 * Accepts deliveries with a Bearer token (RFC 6750), for services that cannot sign. Anyone who sees one
 * request can replay it and send others, so use this verifier only over https, with an inbox or `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when there is no token, or when one is empty or
 *   `undefined`, has `Bearer` in front, or contains a character that no header can contain. If `token` is a function,
 *   requests get a 503 instead.
 * @throws WebhookUsageError for an unknown option.
 * @example
 * const verify = bearerAuth({ token: process.env.WEBHOOK_TOKEN ?? '' })
 */
export const bearerAuth = (options: BearerAuthOptions): Verifier => {
  assertOptions('bearerAuth()', options, ['token'])
  return createAuthorizationVerifier('bearer', options.token, (token) => {
    if (/^bearer\s/i.test(token.trim())) throw reject('Pass the token without "Bearer" in front.')
    return toReceived(token.trim())
  })
}

/** Options for {@link basicAuth}. @inline */
type BasicAuthOptions = {
  /** The user name, without a colon. */
  readonly username: string
  /**
   * The password, or several passwords during a rotation. A function is called when the first request
   * with the header arrives, and its result is kept for a minute.
   */
  readonly password: OnDemand<string | readonly string[]>
}

/**
 * Accepts deliveries with HTTP Basic authentication (RFC 7617), with or without base64, because services that
 * take the credentials as one string may send it unencoded. Anyone who sees one request can replay it and
 * send others, so use this verifier only over https, with an inbox or `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when there is no password, or when one is empty or
 *   `undefined`, or contains a character that no header can contain. If `password` is a function, requests get a 503 instead.
 * @throws WebhookUsageError for an unknown option, or a `username` that is not text or has a colon.
 * @example
 * const verify = basicAuth({ username: 'wabakit', password: process.env.WEBHOOK_PASSWORD ?? '' })
 */
export const basicAuth = (options: BasicAuthOptions): Verifier => {
  assertOptions('basicAuth()', options, ['username', 'password'])
  const { username, password } = options
  if (typeof username !== 'string' || username.includes(':'))
    throw new WebhookUsageError('username must be text without a colon.')
  return createAuthorizationVerifier('basic', password, (each) =>
    toReceived(`${username}:${each}`).flatMap((credentials) => [credentials, btoa(credentials)]),
  )
}
