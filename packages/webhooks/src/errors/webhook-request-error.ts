const statuses = {
  body_was_parsed: 400,
  body_unreadable: 400,
  malformed_request: 400,
  not_verified: 401,
  method_not_allowed: 405,
  body_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
} as const

/**
 * Why a request was refused for itself, not for its signature or its payload. The list is closed.
 *
 * - `body_was_parsed`: something read the body before the receiver could see its bytes (400).
 * - `body_unreadable`: the body ended in an error while it was read (400).
 * - `malformed_request`: its target, its headers or its body cannot be read at all (400).
 * - `not_verified`: the verifier did not return `true` (401).
 * - `method_not_allowed`: it is not a POST (405).
 * - `body_timeout`: the body did not arrive in time (408).
 * - `body_too_large`: the body is over the limit (413).
 * - `unsupported_media_type`: the body is said to be something other than JSON in UTF-8 (415).
 */
export type RequestFailure = keyof typeof statuses

/** A request was refused for itself, not for its signature or its payload. */
export class WebhookRequestError extends Error {
  override readonly name = 'WebhookRequestError'
  /** Why, from the closed list. */
  readonly code: RequestFailure
  /** The HTTP status of the answer. */
  readonly status: number

  constructor(code: RequestFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = statuses[code]
  }
}

/** Tells whether `error` is a {@link WebhookRequestError}. */
export const isWebhookRequestError = (error: unknown): error is WebhookRequestError =>
  error instanceof WebhookRequestError
