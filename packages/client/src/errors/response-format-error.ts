import type { Issue } from '@wabakit/contract'
import { WabakitError } from './wabakit-error.ts'

/** What a {@link ResponseFormatError} knows of the answer it reports. */
export type ResponseFormatErrorDetails = {
  /** HTTP status of the answer; 0 for a redirect in a browser, which hides it. */
  readonly status: number
  /** `false`: the body was empty, or ended too early. */
  readonly isComplete: boolean
  /** Where the body differs from the contract; empty for a redirect. */
  readonly issues: readonly Issue[]
  /** The answer's `x-request-id`; `undefined` when it had none. */
  readonly requestId: string | undefined
  /** The answer's headers. */
  readonly headers: Headers
  /** The answer's body as received, at most 64 KiB of it. */
  readonly body: string
}

/**
 * The service answered 2xx with something else than the contract, or with a redirect. Redirects are never followed,
 * because they would carry the key elsewhere: set `baseUrl` to the final address.
 */
export class ResponseFormatError extends WabakitError implements ResponseFormatErrorDetails {
  override get name() {
    return 'ResponseFormatError' as const
  }
  readonly code = 'unexpected_response'
  readonly status: number
  readonly isComplete: boolean
  readonly issues: readonly Issue[]
  readonly requestId: string | undefined
  readonly headers: Headers
  readonly body: string

  constructor(message: string, details: ResponseFormatErrorDetails) {
    super(message)
    this.status = details.status
    this.isComplete = details.isComplete
    this.issues = details.issues
    this.requestId = details.requestId
    this.headers = details.headers
    this.body = details.body
  }
}
