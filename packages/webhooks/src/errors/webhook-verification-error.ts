/**
 * Why a signature was not accepted. The list is closed.
 *
 * - `missing_header`: one of the three headers is absent or empty; `header` names it.
 * - `malformed_header`: a header is there but not in the form of the scheme; `header` names it.
 * - `timestamp_too_old`, `timestamp_too_new`: signed outside the tolerance; `skewSeconds` tells by how much.
 * - `no_matching_signature`: no signature of the delivery belongs to this body and one of the secrets.
 * - `invalid_secret`: a configured secret cannot be one; thrown when it is configured.
 */
export type VerificationFailure =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'invalid_secret'

/** What a {@link WebhookVerificationError} may say besides its reason. */
export type VerificationDetails = {
  /** Name of the header at fault. */
  readonly header?: string
  /** Seconds between the signature and now: positive when it is old, negative when it lies in the future. */
  readonly skewSeconds?: number
}

/**
 * A delivery was not accepted as the sender's, or a secret cannot be one. The message names the remedy and never
 * holds a secret.
 *
 * @example
 * catch (error) {
 *   if (isWebhookVerificationError(error)) logger.warn(error.reason, error.skewSeconds)
 * }
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  /** For programs that look at `code` on every error. */
  readonly code = 'webhook_verification_failed'
  /** Why, from the closed list. */
  readonly reason: VerificationFailure
  /** Name of the header at fault, for `missing_header` and `malformed_header`. */
  readonly header: string | undefined
  /** Seconds between the signature and now, for `timestamp_too_old` (positive) and `timestamp_too_new` (negative). */
  readonly skewSeconds: number | undefined

  constructor(reason: VerificationFailure, message: string, details: VerificationDetails = {}) {
    super(message)
    this.reason = reason
    this.header = details.header
    this.skewSeconds = details.skewSeconds
  }
}

/** Tells whether `error` is a {@link WebhookVerificationError}. */
export const isWebhookVerificationError = (error: unknown): error is WebhookVerificationError =>
  error instanceof WebhookVerificationError
