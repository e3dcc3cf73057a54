import type { EventName, Issue } from '@wabakit/wire'

// Checks the name and the code rather than the class, so that the guards work in a program with two copies of
// this package.
const hasName = (error: unknown, name: string): boolean =>
  Object(error).name === name && typeof Object(error).code === 'string'

/**
 * The reason for rejecting a signature or a secret. The response is a 401 with the reason as `code`, but a 400 for
 * `body_was_parsed` and a 503 for `invalid_secret`.
 *
 * - `missing_header`: a header that the verifier needs is absent; `header` names it.
 * - `malformed_header`: a header does not have the form that the scheme requires; `header` names it.
 * - `timestamp_too_old`, `timestamp_too_new`: the timestamp is outside the tolerance; `skewSeconds` is the difference.
 * - `no_matching_signature`: no signature of the delivery matches this body and one of the secrets, or the header of
 *   `staticHeader`, `bearerAuth` or `basicAuth` does not match; `header` names it.
 * - `missing_token`, `wrong_token`: the URL has no token for `urlToken`, or not exactly one that is accepted.
 * - `not_verified`, `body_was_parsed`: reasons of {@link RequestFailure}, for one of several verifiers of `anyOf`.
 * - `invalid_secret`: a configured secret is missing or cannot be used, the function that returns the secrets failed, or the
 *   receiver has no `verify`.
 */
export type VerificationFailure =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'missing_token'
  | 'wrong_token'
  | 'not_verified'
  | 'body_was_parsed'
  | 'invalid_secret'

/** Why one of the verifiers of `anyOf` refused a delivery. */
export type VerifierRefusal = {
  /** The verifier, as in `context.verifiedBy`. */
  readonly scheme: string
  /** The reason. */
  readonly reason: VerificationFailure
  /** An explanation, without a secret. */
  readonly message: string
  /** Name of the header at fault, if a header is at fault. */
  readonly header?: string | undefined
  /** Seconds from the signature to now, if it is outside the tolerance. */
  readonly skewSeconds?: number | undefined
}

/**
 * Thrown when a delivery cannot be verified, or a secret cannot be used. The message explains what to do, and
 * never contains a secret.
 *
 * @example
 * catch (error) {
 *   if (isWebhookVerificationError(error)) logger.warn(error.reason, error.skewSeconds)
 * }
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  /** The same for every error of this class. `reason` has the details. */
  readonly code = 'webhook_verification_failed'
  /** The reason. */
  declare readonly reason: VerificationFailure
  /** Name of the header at fault, if a header is at fault. */
  declare readonly header: string | undefined
  /** Seconds from the signature to now, for `timestamp_too_old` (positive) and `timestamp_too_new` (negative). */
  declare readonly skewSeconds: number | undefined
  /** The reasons of all verifiers of `anyOf`. */
  declare readonly refusals: readonly VerifierRefusal[] | undefined

  constructor(
    reason: VerificationFailure,
    message: string,
    details: Partial<Pick<WebhookVerificationError, 'header' | 'skewSeconds' | 'cause'>> = {},
  ) {
    super(message, details)
    this.reason = reason
    this.header = details.header
    this.skewSeconds = details.skewSeconds
  }
}

/** Checks whether `error` is a {@link WebhookVerificationError}, even one from another copy of this package. */
export const isWebhookVerificationError = (error: unknown): error is WebhookVerificationError =>
  hasName(error, 'WebhookVerificationError')

/**
 * Why a body cannot be parsed.
 *
 * - `not_utf8`: its bytes are not UTF-8 (RFC 8259 section 8.1).
 * - `not_json`: its text is not JSON.
 * - `not_an_object`: it is a JSON array, string, number, boolean or null.
 * - `too_large`: it has more bytes than allowed.
 */
export type ParseFailure = 'not_json' | 'not_an_object' | 'not_utf8' | 'too_large'

/** Thrown when a body is too large, or is not a JSON object and therefore contains no event. */
export class WebhookParseError extends Error {
  override readonly name = 'WebhookParseError'
  /** The reason. */
  declare readonly code: ParseFailure

  constructor(code: ParseFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Checks whether `error` is a {@link WebhookParseError}, even one from another copy of this package. */
export const isWebhookParseError = (error: unknown): error is WebhookParseError =>
  hasName(error, 'WebhookParseError')

/** The HTTP status of every `code` of a {@link WebhookRequestError}. See {@link VerificationFailure} for the other statuses. */
export const requestStatuses = {
  body_was_parsed: 400,
  body_unreadable: 400,
  malformed_request: 400,
  not_verified: 401,
  method_not_allowed: 405,
  body_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  overloaded: 503,
} as const

/**
 * The reason for rejecting a request, other than its signature or its payload.
 *
 * - `body_was_parsed`: other code, such as a body parser, read the body first, and either the verifier needs its bytes, the
 *   content type is missing, or no copy of the body is left (400).
 * - `body_unreadable`: reading the body failed, or what a parser made of it cannot be serialized (400).
 * - `malformed_request`: the target, the headers or the body cannot be read at all (400).
 * - `not_verified`: the verifier did not accept the request (401).
 * - `method_not_allowed`: the request is not a POST (405).
 * - `body_timeout`: the body did not arrive in time (408).
 * - `body_too_large`: the body is over the limit (413).
 * - `unsupported_media_type`: the `content-type` is not JSON, or the body is compressed (415).
 * - `overloaded`: the body has more than 64 KiB, and too many bodies of that size are being read (503).
 */
export type RequestFailure = keyof typeof requestStatuses

/**
 * The error of a request that is rejected for reasons other than its signature or its payload. Passed to `onError`, unless an
 * adapter rejects the request before the receiver gets it.
 */
export class WebhookRequestError extends Error {
  override readonly name = 'WebhookRequestError'
  /** The reason. */
  declare readonly code: RequestFailure
  /** The HTTP status of the response. */
  declare readonly status: number

  constructor(code: RequestFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = requestStatuses[code]
  }
}

/** Checks whether `error` is a {@link WebhookRequestError}, even one from another copy of this package. */
export const isWebhookRequestError = (error: unknown): error is WebhookRequestError =>
  hasName(error, 'WebhookRequestError') && Object.hasOwn(requestStatuses, Object(error).code)

/** Passed to `onError` when a known event does not match its contract, and there is neither an `onDrift` handler nor an inbox. */
export class WebhookDriftError extends Error {
  override readonly name = 'WebhookDriftError'
  /** The same for every error of this class. */
  readonly code = 'drifted'
  /** The name of the event. */
  declare readonly eventName: EventName
  /** The mismatches, by field. */
  declare readonly issues: readonly Issue[]
  /** The bytes of the body, as in `context.rawBody`. Save them if the sender does not retry. */
  declare readonly rawBody: Uint8Array

  constructor(eventName: EventName, issues: readonly Issue[], rawBody: Uint8Array) {
    super(`A ${eventName} does not match its contract: ${issues.map(({ message }) => message).join('; ')}`)
    this.eventName = eventName
    this.issues = issues
    // Not enumerable, because printing the error must not print personal data.
    Object.defineProperty(this, 'rawBody', { value: rawBody })
  }
}

/** Passed to `onError` when a handler takes too long. It may still be running; `context.signal` has aborted. */
export class WebhookHandlerTimeoutError extends Error {
  override readonly name = 'WebhookHandlerTimeoutError'
  /** The same for every error of this class. */
  readonly code = 'handler_timeout'
  /** The time limit, in milliseconds. */
  declare readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`The handler did not finish within ${timeoutMs} ms.`)
    this.timeoutMs = timeoutMs
  }
}

/** Thrown when a function of this package is called with invalid arguments, such as an unknown option. */
export class WebhookUsageError extends TypeError {
  override readonly name = 'WebhookUsageError'
  /** The same for every error of this class. */
  readonly code = 'invalid_usage'
}
