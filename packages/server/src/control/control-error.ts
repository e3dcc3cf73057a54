import type { Issue } from '@wabakit/contract'

/** Everything that the control API may refuse, with its HTTP status. */
export const controlErrorCodes = {
  invalid_input: 400,
  malformed_json: 400,
  token_required: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_found: 404,
  exists: 409,
  illegal_transition: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  refused: 422,
  internal_error: 500,
  outcome_unknown: 503,
  storage_unavailable: 503,
  stopping: 503,
} as const

/** A code from the closed list of {@link controlErrorCodes}. */
export type ControlErrorCode = keyof typeof controlErrorCodes

/** A request that the control API refuses. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** From the closed list. */
  readonly code: ControlErrorCode
  /** What is wrong with which field; empty when no field is at fault. */
  readonly issues: readonly Issue[]

  /**
   * @param code - from the closed list.
   * @param message - what is wrong and what to do, for people.
   * @param issues - what is wrong with which field.
   */
  constructor(code: ControlErrorCode, message: string, issues: readonly Issue[] = []) {
    super(message)
    this.code = code
    this.issues = issues
  }
}
