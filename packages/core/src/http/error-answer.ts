import { type ErrorBody, reasonPhrases } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { StorageOutcomeUnknownError } from '../errors/storage-outcome-unknown-error.ts'
import { StorageUnavailableError } from '../errors/storage-unavailable-error.ts'
import type { Answer } from './answer.ts'

/** What a thrown error is to the one who made the request; of what was not meant for him, nothing is told. */
const toRefusal = (error: unknown): RequestRefusedError => {
  if (error instanceof RequestRefusedError) return error
  if (error instanceof StorageUnavailableError) {
    const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)))
    return new RequestRefusedError(
      'storage_unavailable',
      'The service cannot reach its storage. Try again later.',
      {
        headers: { 'retry-after': seconds },
      },
    )
  }
  if (error instanceof StorageOutcomeUnknownError) {
    return new RequestRefusedError(
      'outcome_unknown',
      'The service lost its storage during the change, which may have been made or not. Find out before you repeat the request.',
    )
  }
  return new RequestRefusedError(
    'internal_error',
    'Something went wrong on our side. Give support the x-request-id.',
  )
}

/** The answer to a request that failed with `error`. */
export const errorAnswer = (error: unknown): Answer => {
  const { status, code, message, issues, headers } = toRefusal(error)
  const body: ErrorBody = {
    statusCode: status,
    error: reasonPhrases[status],
    message,
    code,
    ...(issues.length > 0 && { issues: [...issues] }),
  }
  return { status, body, headers }
}
