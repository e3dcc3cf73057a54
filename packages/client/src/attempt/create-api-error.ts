import type { ReceivedErrorBody } from '@wabakit/wire'
import { isErrorCode, parseRetryAfter, validateReceivedErrorBody } from '@wabakit/wire'
import type { ApiCall } from '../api-call.ts'
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  SummaryPendingError,
  SummaryUnavailableError,
  UnprocessableError,
} from '../errors/api-errors.ts'
import { errorBodyLimit } from './read-body.ts'
import type { Redact } from './redact.ts'
import type { Exchanged } from './send-request.ts'

export type ReceivedResponse = Exchanged & {
  readonly url: string
  readonly requestId: string | undefined
  /** Removes the request's secrets from the parts of the response that an error contains. */
  readonly redact: Redact
}

/** Returns the parts of a response that an error contains, without the request's secrets. */
export const redactResponse = ({ response, text, requestId, redact }: ReceivedResponse) => {
  const headers = new Headers()
  response.headers.forEach((value, name) => void headers.append(name, redact(value)))
  return {
    status: response.status,
    requestId: requestId && redact(requestId),
    headers,
    // Drops a surrogate pair that the limit would split.
    body: redact(text.slice(0, errorBodyLimit).replace(/[\ud800-\udbff]$/, '')),
  }
}

/** Maximum length of the server's message within an error's message, in UTF-16 code units. */
const maxMessageLength = 1_000

const classes: Readonly<Record<number, typeof ApiError>> = {
  202: SummaryPendingError,
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  422: UnprocessableError,
  429: RateLimitError,
}

const findClass = (status: number, { endpoint }: ApiCall<unknown>): typeof ApiError => {
  if (status >= 500) return ServerError
  if (status === 422 && endpoint === 'calls.getSummary') return SummaryUnavailableError
  return classes[status] ?? ApiError
}

const parseBody = (text: string): ReceivedErrorBody | undefined => {
  try {
    const received = validateReceivedErrorBody(JSON.parse(text))
    return received.success ? received.data : undefined
  } catch {
    return undefined
  }
}

/** Returns the server's own message. Removes a repeated field name (`subject subject is required`). */
const getMessage = (status: number, body: ReceivedErrorBody | undefined, text: string): string => {
  const messages = new Set([body?.message ?? []].flat().map((part) => part.replace(/^(\S+ )\1/, '$1')))
  const message = [...messages].join('; ')
  if (message) return message.slice(0, maxMessageLength)
  if (body?.error) return body.error.slice(0, maxMessageLength)
  if (status === 202) return 'the summary is not ready yet'
  if (text.trim() === '') return 'the body is empty'
  if (/^\s*</.test(text)) return 'the body is an HTML page, not JSON'
  return body ? 'the body has no message' : 'the body is not a JSON object'
}

/** Creates the error for an unsuccessful response. The status determines its class. The body may be anything. */
export const createApiError = (
  call: ApiCall<unknown>,
  received: ReceivedResponse,
  now: () => number,
): ApiError => {
  const { method, path } = call
  const details = redactResponse(received)
  const { status, requestId, headers } = details
  const body = parseBody(details.body)
  const marks = [body?.code, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const message = `${received.redact(`${method} ${received.url}`)} returned ${status}: ${getMessage(status, body, details.body)}`
  return new (findClass(status, call))(marks ? `${message} (${marks})` : message, {
    ...details,
    method,
    path,
    code: isErrorCode(body?.code) ? body.code : 'unknown',
    serverCode: body?.code,
    issues: body?.issues ?? [],
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), now()),
  })
}
