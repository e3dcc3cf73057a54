import { STATUS_CODES } from 'node:http'
import type { Issue } from '@wabakit/contract'
import {
  IllegalTransitionError,
  InputError,
  RecordExistsError,
  RecordNotFoundError,
  RequestRefusedError,
  StorageOutcomeUnknownError,
  StorageUnavailableError,
  SummaryRefusedError,
} from '@wabakit/core'
import { ControlError, type ControlErrorCode, controlErrorCodes } from './control-error.ts'

const codeOf = (error: Error): ControlErrorCode | undefined => {
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

const toIssues = (error: Error): readonly Issue[] =>
  error instanceof ControlError || error instanceof InputError || error instanceof RequestRefusedError
    ? error.issues
    : []

/** Status, code and sentence of an error; nothing is told of one that nobody foresaw. */
const describe = (error: Error): { status: number; code: string; message: string } => {
  if (error instanceof RequestRefusedError) return error
  const code = codeOf(error)
  if (code === undefined) {
    return {
      status: 500,
      code: 'internal_error',
      message: 'Something went wrong. The log of the server says what.',
    }
  }
  return { status: controlErrorCodes[code], code, message: error.message }
}

/** The answer of the control API to a request that failed; the same shape as that of the public API. */
export const errorResponse = (error: Error): Response => {
  const { status, code, message } = describe(error)
  const issues = toIssues(error)
  const headers = new Headers({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  if (error instanceof RequestRefusedError) {
    for (const [name, value] of Object.entries(error.headers)) headers.set(name, value)
  }
  if (error instanceof StorageUnavailableError) {
    headers.set('retry-after', String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))))
  }
  const body = { statusCode: status, error: STATUS_CODES[status] ?? 'Error', message, code }
  return new Response(JSON.stringify(issues.length > 0 ? { ...body, issues } : body), { status, headers })
}
