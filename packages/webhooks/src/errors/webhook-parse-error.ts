/** Why a body cannot be read as an event. The list is closed. */
export type ParseFailure = 'not_json' | 'not_an_object' | 'not_utf8' | 'too_large'

/**
 * A body is not a JSON object, so that there is no event in it to recognise.
 *
 * - `not_utf8`: its bytes are not UTF-8 (RFC 8259 section 8.1).
 * - `not_json`: its text is not JSON.
 * - `not_an_object`: it is JSON, but an array, a string, a number, a boolean or null.
 * - `too_large`: it has more bytes than allowed.
 */
export class WebhookParseError extends Error {
  override readonly name = 'WebhookParseError'
  /** Why, from the closed list. */
  readonly code: ParseFailure

  constructor(code: ParseFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Tells whether `error` is a {@link WebhookParseError}. */
export const isWebhookParseError = (error: unknown): error is WebhookParseError =>
  error instanceof WebhookParseError
