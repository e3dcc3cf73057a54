import { STATUS_CODES } from 'node:http'
import {
  type ApiResponse,
  IllegalTransitionError,
  InputError,
  RecordExistsError,
  RecordNotFoundError,
  type RefusalDetails,
  StorageOutcomeUnknownError,
  StorageUnavailableError,
  SummaryRefusedError,
} from '@wabakit/core'
import { buildJsonResponse, refuseRequest } from '@wabakit/core/hosting'
import { ControlError, type ControlErrorCode, controlErrorCodes } from './control-error.ts'

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
  const body = { statusCode: status, error: STATUS_CODES[status] ?? 'Error', message: error.message, code }
  return buildJsonResponse(issues.length > 0 ? { ...body, issues } : body, { requestId, status, headers })
}
