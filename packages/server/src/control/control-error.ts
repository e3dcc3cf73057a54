import type { Issue } from '@wabakit/contract'
import type { RefusalDetails } from '@wabakit/core'

/** Formats an issue as a sentence that names the field once. */
export const formatIssue = ({ path, message }: Issue): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`

/** The control API's error codes, with their HTTP statuses. */
export const controlErrorCodes = {
  invalid_input: 400,
  malformed_json: 400,
  token_required: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_allowed: 403,
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

export type ControlErrorCode = keyof typeof controlErrorCodes

/** The control API cannot perform a request. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code: ControlErrorCode
  /** The problem with each field; empty if no field is the cause. */
  readonly issues: readonly Issue[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ControlErrorCode, message: string, { issues = [], headers = {} }: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.issues = issues
    this.headers = headers
  }
}

/**
 * Returns a record requested by its path.
 *
 * @throws ControlError `not_found`
 */
export const requireFound = <Found>(found: Found | undefined, kind: string, id: string): Found => {
  if (found !== undefined) return found
  throw new ControlError('not_found', `There is no ${kind} ${JSON.stringify(id)}.`)
}
