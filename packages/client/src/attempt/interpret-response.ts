import {
  isErrorCode,
  parseRetryAfter,
  type ReceivedErrorBody,
  validateReceivedErrorBody,
} from '@wabakit/wire'
import type { ApiCall, WithResponse } from '../api-call.ts'
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
import { ResponseFormatError } from '../errors/call-errors.ts'
import { joinMessages, type WabakitError } from '../errors/wabakit-error.ts'
import type { Hide } from './hide-secrets.ts'
import { type Exchanged, errorBodyLimit } from './send-request.ts'

/** The outcome of an attempt. If the attempt throws instead, after an abort, in a hook or in `auth`, the call rejects. */
export type Outcome<Data> =
  | { readonly result: WithResponse<Data>; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: WabakitError }

export type ReceivedResponse = Exchanged & {
  readonly url: string
  readonly requestId: string | undefined
  /** Removes the request's secrets from the parts of the response that an error contains. */
  readonly hide: Hide
}

/** Returns the parts of a response that an error contains, without the request's secrets. */
const hideInResponse = ({ response, text, requestId, hide }: ReceivedResponse) => {
  const headers = new Headers()
  response.headers.forEach((value, name) => void headers.append(name, hide(value)))
  return {
    status: response.status,
    requestId: requestId && hide(requestId),
    headers,
    // Drops a surrogate pair that the limit would split.
    body: hide(text.slice(0, errorBodyLimit).replace(/[\ud800-\udbff]$/, '')),
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

/** Returns `undefined` if the text is not JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the server's message, without a repeated field name (`subject subject is required`). If there is none, returns a
 * description of the body.
 */
const getMessage = (status: number, body: ReceivedErrorBody | undefined, text: string): string => {
  const messages = new Set([body?.message ?? []].flat().map((part) => part.replace(/^(\S+ )\1/, '$1')))
  const message = [...messages].join('; ') || body?.error
  if (message) return message.slice(0, maxMessageLength)
  if (status === 202) return 'the summary is not ready yet'
  if (text.trim() === '') return 'the body is empty'
  if (/^\s*</.test(text)) return 'the body is an HTML page, not JSON'
  return body ? 'the body has no message' : 'the body is not a JSON object'
}

/**
 * Lists the possible causes of an error status, because the messages of live services do not state the cause. Returns
 * `undefined` if none are known. See docs/vendor.md.
 */
const listCauses = (status: number, { endpoint }: ApiCall<unknown>): string | undefined => {
  const isSummary = endpoint === 'calls.getSummary'
  if (status === 401) return 'the API key is missing or invalid, or belongs in another header'
  if (status === 403) {
    const more = isSummary ? ', or the organization has no PSTN calling' : ''
    return `the API key is invalid or revoked, or not allowed here, from this address or from browsers${more}`
  }
  if (status !== 404 || endpoint === 'request') return undefined
  return isSummary
    ? 'the call is unknown, belongs to another organization, has no summary yet, or is a WhatsApp call'
    : 'baseUrl is wrong'
}

/**
 * Creates the error for an unsuccessful response. Its class depends on the status and, for 422, on the endpoint. The body
 * may be anything.
 */
const createApiError = (call: ApiCall<unknown>, received: ReceivedResponse, now: () => number): ApiError => {
  const { method } = call
  const details = hideInResponse(received)
  const { status, requestId, headers } = details
  const parsed = validateReceivedErrorBody(parseJson(details.body))
  const body = parsed.success ? parsed.data : undefined
  const marks = [body?.code, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const code = isErrorCode(body?.code) ? body.code : 'unknown'
  // A code of the reference server already states the cause.
  const causes = code === 'unknown' ? listCauses(status, call) : undefined
  const hint = causes === undefined ? '' : `. Possible causes: ${causes}`
  const message = `${received.hide(`${method} ${received.url}`)} returned ${status}: ${getMessage(status, body, details.body)}${hint}`
  return new (findClass(status, call))(marks ? `${message} (${marks})` : message, {
    ...details,
    method,
    path: received.hide(call.path),
    code,
    serverCode: body?.code,
    issues: body?.issues ?? [],
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), now()),
  })
}

const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** Checks whether a body that is not JSON was probably cut off: it is empty, or starts like a JSON object. */
const endsEarly = (text: string): boolean => /^\s*(?:\{|$)/.test(text)

export const interpretResponse = <Data>(
  call: ApiCall<Data>,
  received: ReceivedResponse,
  now: () => number,
): Outcome<Data> => {
  const { response, url, text, cut, requestId, hide, isSuccess } = received
  const { status } = response
  const fail = (
    what: string,
    { isComplete = true, issues = [] }: Partial<Pick<ResponseFormatError, 'isComplete' | 'issues'>> = {},
  ) => {
    const details = hideInResponse(received)
    const mark = details.requestId ? ` (request ${details.requestId})` : ''
    const message = `${hide(`${call.method} ${url} returned ${what}`)}${mark}`
    return { failure: new ResponseFormatError(message, { ...details, isComplete, issues }) }
  }
  if (isRedirect(response)) {
    const location = response.headers.get('location')
    return fail(
      `a redirect${location ? ` to ${location}` : ''}. Redirects are not followed: set baseUrl to the final address`,
    )
  }
  if (!isSuccess) return { failure: createApiError(call, received, now) }
  if (cut === 'limit') return fail(`${status} with a body over 1 MiB`)
  if (cut) return fail(`${status} with an incomplete body`, { isComplete: false })
  const json = parseJson(text)
  // A request to another endpoint may have no result, such as a 204.
  if (json === undefined && (text || call.endpoint !== 'request')) {
    const issues = [{ path: '', message: 'must be JSON' }]
    return fail(`${status} with a body that is not JSON`, { isComplete: !endsEarly(text), issues })
  }
  const parsed = call.parse(json)
  if (parsed.success) return { result: { data: parsed.data, response, requestId } }
  const { issues } = parsed
  return fail(`${status} with a body that does not match the contract: ${joinMessages(issues)}`, { issues })
}
