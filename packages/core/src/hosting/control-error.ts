import { type Issue, reasonPhrases } from '@wabakit/contract'
import { IllegalTransitionError, InputError, SummaryRefusedError } from '../errors/operation-errors.ts'
import { RecordExistsError, RecordNotFoundError } from '../errors/record-errors.ts'
import type { RefusalDetails } from '../errors/request-refused-error.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import { type ApiResponse, buildJsonResponse, refuseRequest } from '../http/exchange.ts'

export const controlErrorCodes = {
  invalid_input: 400,
  malformed_json: 400,
  token_required: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  not_allowed: 403,
  not_found: 404,
  timed_out: 408,
  exists: 409,
  unexpected_event: 409,
  illegal_transition: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  refused: 422,
  internal_error: 500,
  outcome_unknown: 503,
  storage_unavailable: 503,
  stopping: 503,
  out_of_resources: 503,
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

/** Returns the record that a request names, or throws a ControlError `not_found`. */
export const requireFound = <Found>(found: Found | undefined, kind: string, id: string): Found => {
  if (found !== undefined) return found
  throw new ControlError('not_found', `There is no ${kind} ${JSON.stringify(id)}.`)
}

const findCode = (error: unknown): ControlErrorCode | undefined => {
  if (error instanceof ControlError) return error.code
  if (error instanceof InputError) return 'invalid_input'
  if (error instanceof RecordNotFoundError) return 'not_found'
  if (error instanceof RecordExistsError) return 'exists'
  if (error instanceof IllegalTransitionError) return 'illegal_transition'
  if (error instanceof SummaryRefusedError) return 'refused'
  if (error instanceof StorageOutcomeUnknownError) return 'outcome_unknown'
  if (error instanceof StorageUnavailableError) return 'storage_unavailable'
  return undefined
}

const getDetails = (error: Error): RefusalDetails => {
  if (error instanceof ControlError || error instanceof InputError) return error
  if (!(error instanceof StorageUnavailableError)) return {}
  return { headers: { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))) } }
}

/** Returns the response to a failed control request, in the format of the public API's errors. */
export const toErrorResponse = (error: unknown, requestId: string): ApiResponse => {
  const code = findCode(error)
  if (code === undefined || !(error instanceof Error)) return refuseRequest(error, { requestId })
  const status = controlErrorCodes[code]
  const { issues = [], headers = {} } = getDetails(error)
  const body = {
    statusCode: status,
    error: status === 409 ? 'Conflict' : reasonPhrases[status],
    message: error.message,
    code,
  }
  return buildJsonResponse(issues.length > 0 ? { ...body, issues } : body, { requestId, status, headers })
}
