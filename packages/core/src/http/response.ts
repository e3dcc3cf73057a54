import { type ErrorBody, reasonPhrases } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'

/** A JSON response. */
export type JsonResponse = {
  readonly status: number
  readonly body: object
  /** Headers in addition to those of every response; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A response as it is sent. */
export type SerializedResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Serializes a response. Caches must not store it, and `x-request-id` identifies it in support requests. */
export const serializeResponse = (
  { status, body, headers }: JsonResponse,
  requestId: string,
): SerializedResponse => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...headers,
  },
  body: JSON.stringify(body),
})

/** Converts errors for the caller. An unexpected error reveals nothing. */
const toRefusal = (error: unknown): RequestRefusedError => {
  if (error instanceof RequestRefusedError) return error
  if (error instanceof StorageUnavailableError) {
    const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)))
    const message = 'The service cannot reach its storage. Try again later.'
    return new RequestRefusedError('storage_unavailable', message, { headers: { 'retry-after': seconds } })
  }
  if (error instanceof StorageOutcomeUnknownError) {
    const message =
      'The service lost its storage during the change, which may have been made or not. Find out before you repeat the request.'
    return new RequestRefusedError('outcome_unknown', message)
  }
  return new RequestRefusedError(
    'internal_error',
    'Something went wrong on our side. Give support the x-request-id.',
  )
}

/** Builds the response to a request that failed with `error`. */
export const buildErrorResponse = (error: unknown): JsonResponse => {
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
