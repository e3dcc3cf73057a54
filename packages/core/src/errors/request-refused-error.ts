import { type ErrorCode, type ErrorStatus, errorCodes, type Issue } from '@wabakit/contract'

/** Details of a {@link RequestRefusedError}. */
export type RefusalDetails = {
  /** The invalid fields, and why they are invalid. */
  readonly issues?: readonly Issue[]
  /** Response headers, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The service rejected a request, in process or over HTTP. Nothing was stored and no event was published, unless the
 * code is `outcome_unknown` or `internal_error`.
 */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError'
  readonly code: ErrorCode
  /** The HTTP status of the code. */
  readonly status: ErrorStatus
  /** The invalid fields; empty if no field is invalid. */
  readonly issues: readonly Issue[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.status = errorCodes[code]
    this.issues = details.issues ?? []
    this.headers = details.headers ?? {}
  }
}
