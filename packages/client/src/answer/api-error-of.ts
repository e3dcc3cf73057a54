import { isErrorCode, ReceivedErrorBody, validate } from '@wabakit/contract'
import type { Call } from '../call.ts'
import { ApiError, type ApiErrorDetails } from '../errors/api-error.ts'
import { AuthenticationError } from '../errors/authentication-error.ts'
import { BadRequestError } from '../errors/bad-request-error.ts'
import { NotFoundError } from '../errors/not-found-error.ts'
import { PermissionDeniedError } from '../errors/permission-denied-error.ts'
import { RateLimitError } from '../errors/rate-limit-error.ts'
import { ServerError } from '../errors/server-error.ts'
import { SummaryPendingError } from '../errors/summary-pending-error.ts'
import { SummaryUnavailableError } from '../errors/summary-unavailable-error.ts'
import { UnprocessableError } from '../errors/unprocessable-error.ts'
import { type Answer, redactedHeaders } from './answer.ts'
import { retryAfterMsOf } from './retry-after.ts'

/** How much of a server's sentence a message repeats, in UTF-16 units. */
const longestSentence = 1_000

type ErrorClass = new (message: string, details: ApiErrorDetails) => ApiError

const classOf = (status: number, endpoint: Call<unknown>['endpoint']): ErrorClass => {
  if (status >= 500) return ServerError
  switch (status) {
    case 202:
      return SummaryPendingError
    case 400:
      return BadRequestError
    case 401:
      return AuthenticationError
    case 403:
      return PermissionDeniedError
    case 404:
      return NotFoundError
    case 422:
      return endpoint === 'calls.getSummary' ? SummaryUnavailableError : UnprocessableError
    case 429:
      return RateLimitError
    default:
      return ApiError
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The server's own sentence, or one about a body that has none. */
const sentenceOf = (status: number, body: ReceivedErrorBody | undefined, text: string): string => {
  const message = Array.isArray(body?.message) ? body.message.join('; ') : body?.message
  if (message) return message.slice(0, longestSentence)
  if (body?.error) return body.error.slice(0, longestSentence)
  if (status === 202) return 'the summary is not ready yet'
  if (text.trim() === '') return 'the body is empty'
  if (/^\s*</.test(text)) return 'the body is an HTML page, not JSON'
  return body ? 'the body has no message' : 'the body is not a JSON object'
}

/** The error for an answer that is not a success: its class by status, its fields by whatever body came. */
export const apiErrorOf = (call: Call<unknown>, answer: Answer, now: () => number): ApiError => {
  const { response, redact } = answer
  const text = redact(answer.text)
  const received = validate(ReceivedErrorBody, parseJson(text))
  const body = received.success ? received.data : undefined
  const requestId = answer.requestId === undefined ? undefined : redact(answer.requestId)
  const marks = [body?.code, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const Class = classOf(response.status, call.endpoint)
  return new Class(
    `${call.method} ${call.path} answered ${response.status}: ${sentenceOf(response.status, body, text)}${marks && ` (${marks})`}`,
    {
      method: call.method,
      path: call.path,
      status: response.status,
      code: isErrorCode(body?.code) ? body.code : 'unknown',
      serverCode: body?.code,
      issues: body?.issues ?? [],
      requestId,
      retryAfterMs: retryAfterMsOf(response.headers, now),
      headers: redactedHeaders(response.headers, redact),
      body: text,
    },
  )
}
