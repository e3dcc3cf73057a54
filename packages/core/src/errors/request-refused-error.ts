import { type ErrorCode, type ErrorStatus, errorCodes, type Issue } from '@wabakit/contract'

/** What a refusal may carry besides its code and sentence. */
export type RefusalDetails = {
  /** What is wrong with which field. */
  readonly issues?: readonly Issue[]
  /** Headers that the answer needs, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the service refuses, in process or over HTTP; nothing was stored and nothing was emitted. */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError'
  /** From the closed list of error codes. */
  readonly code: ErrorCode
  /** The HTTP status of the code. */
  readonly status: ErrorStatus
  /** What is wrong with which field; empty when no field is at fault. */
  readonly issues: readonly Issue[]
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>

  /**
   * @param code - from the closed list.
   * @param message - a sentence for people.
   * @param details - issues and headers, if any.
   */
  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.status = errorCodes[code]
    this.issues = details.issues ?? []
    this.headers = details.headers ?? {}
  }
}
