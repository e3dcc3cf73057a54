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

type ErrorFacts = { readonly status: number; readonly code: string; readonly message: string }

const findCode = (error: Error): ControlErrorCode | undefined => {
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

const getIssues = (error: Error): readonly Issue[] =>
  error instanceof ControlError || error instanceof InputError || error instanceof RequestRefusedError
    ? error.issues
    : []

/** The response to an unforeseen error reveals nothing about it. */
const describeError = (error: Error): ErrorFacts => {
  if (error instanceof RequestRefusedError) return error
  const code = findCode(error)
  return code === undefined
    ? { status: 500, code: 'internal_error', message: 'Something went wrong. See the log of the server.' }
    : { status: controlErrorCodes[code], code, message: error.message }
}

/** Returns the response to a control request that failed, in the form of the public API's errors. */
export const toErrorResponse = (error: Error): Response => {
  const { status, code, message } = describeError(error)
  const issues = getIssues(error)
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
