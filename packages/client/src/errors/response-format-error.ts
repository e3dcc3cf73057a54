import type { Issue } from '@wabakit/wire'
import { WabakitError } from './wabakit-error.ts'

/** The properties that a {@link ResponseFormatError} adds to those of `WabakitError`. */
export type ResponseFormatErrorDetails = Omit<ResponseFormatError, keyof WabakitError>

/**
 * The service returned a 2xx that does not match the contract, or a redirect. Redirects are never followed, because
 * that would send the API key elsewhere: set `baseUrl` to the final address.
 */
export class ResponseFormatError extends WabakitError {
  override get name(): 'ResponseFormatError' {
    return 'ResponseFormatError'
  }
  readonly code = 'unexpected_response'
  /** HTTP status of the response; 0 for a redirect in a browser, which hides it. */
  declare readonly status: number
  /** `false` if the body was empty or ended too early. */
  declare readonly isComplete: boolean
  /** Where the body differs from the contract; empty for a redirect. */
  declare readonly issues: readonly Issue[]
  /** The response's `x-request-id`, if any. */
  declare readonly requestId: string | undefined
  /** The response's headers. */
  declare readonly headers: Headers
  /** The response's body as received, up to 65,536 characters. */
  declare readonly body: string

  constructor(message: string, details: ResponseFormatErrorDetails) {
    super(message)
    Object.assign(this, details)
  }
}
