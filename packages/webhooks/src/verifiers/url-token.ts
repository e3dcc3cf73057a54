import { encoder } from '../bytes.ts'
import { WebhookUsageError, WebhookVerificationError } from '../errors.ts'
import { type OnDemand, prepare } from '../on-demand.ts'
import { assertOptions } from '../usage.ts'
import { matchesAny, reject, toList } from './secret-values.ts'
import type { Verifier } from './verifier.ts'
import { apply } from './verify-signature.ts'

/** Options for {@link urlToken}. @inline */
type UrlTokenOptions = {
  /**
   * The token, or several tokens during a rotation: at least 16 bytes each. A function is called when the first
   * request with a token arrives, and its result is kept for a minute.
   */
  readonly token: OnDemand<string | readonly string[]>
  /**
   * Name of the parameter in the query, case-sensitive.
   * @default 'token'
   */
  readonly parameter?: string | undefined
}

const minimumBytes = 16

const checkToken = (value: string): string => {
  const token = value.trim()
  if (encoder.encode(token).length >= minimumBytes) return token
  throw reject(`A token has fewer than ${minimumBytes} bytes. Generate one: openssl rand -hex 16`)
}

/** Decodes a part of a query once (RFC 3986 section 2.4). Only forms write a space as `+`. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the encoded values of a parameter. */
const readValues = (url: string, parameter: string): readonly string[] => {
  const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? ''
  return query.split('&').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=')
    return decode(name) === parameter ? [value.join('=')] : []
  })
}

/**
 * Accepts deliveries whose URL has a secret in its query, such as `https://example.com/webhooks?token=…`, for services
 * that take a URL and nothing else. Anyone who sees a URL can send deliveries until the token is replaced, and servers
 * and proxies write URLs to their logs. So use it only over https, with an inbox or `dedupe`, and keep the query out of
 * the logs. It rejects a request without waiting for its body.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a token is missing, has fewer than 16 bytes or
 *   contains a control character such as a line break. If `token` is a function, requests get a 503 instead.
 * @throws WebhookUsageError for an unknown option, or an empty `parameter`.
 * @example
 * const verify = urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' })
 */
export const urlToken = (options: UrlTokenOptions): Verifier => {
  assertOptions('urlToken()', options, ['token', 'parameter'])
  const { token, parameter = 'token' } = options
  if (typeof parameter !== 'string' || parameter === '')
    throw new WebhookUsageError('parameter must be the name of a parameter.')
  const convert = (values: string | readonly string[]) => toList(values).map(checkToken)
  const tokens = prepare(token, { convert, now: () => Date.now() })

  const check = (url: string, clock?: () => number): undefined | Promise<undefined> => {
    const [value, ...others] = readValues(url, parameter)
    if (!value && others.length === 0) {
      throw new WebhookVerificationError(
        'missing_token',
        `The URL has no parameter ${parameter}. Register the URL with its token.`,
      )
    }
    const received = decode(value ?? '')
    return apply(tokens(clock), (expected): undefined => {
      if (others.length === 0 && received !== undefined && matchesAny(expected, received)) return
      throw new WebhookVerificationError(
        'wrong_token',
        others.length === 0
          ? `The parameter ${parameter} of the URL does not match. Is this the registered URL?`
          : `The URL has the parameter ${parameter} more than once.`,
      )
    })
  }
  return Object.assign(
    (async ({ url, now }) => {
      await check(url, now)
      return true
    }) satisfies Verifier,
    {
      checkHeaders: (_: Headers, clock?: () => number, url?: string) =>
        url === undefined ? undefined : check(url, clock),
      ignoresBody: true,
      scheme: 'urlToken',
    },
  )
}
