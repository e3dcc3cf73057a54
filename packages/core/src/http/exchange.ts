import { type ErrorBody, limits, reasonPhrases } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'

/** A request as the host received it. */
export type ApiRequest = {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** The query. It may be empty, or start with a question mark. */
  readonly query: string
  /**
   * Returns a header by its case-insensitive name, or `null`. Repeated headers are joined by a comma, as `Headers`
   * does.
   */
  readonly headers: { get(name: string): string | null }
  /** Reads the body. Resolves to `undefined` as soon as the body exceeds `maxBytes`, without waiting for the rest. */
  readBody(maxBytes: number): Promise<Uint8Array | undefined>
}

/** A response as the host sends it. */
export type ApiResponse = {
  readonly status: number
  /** Names are lowercase. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const unsupported = (message: string): RequestRefusedError =>
  new RequestRefusedError('unsupported_media_type', message)

const checkMediaType = ({ headers }: ApiRequest): void => {
  const contentType = headers.get('content-type') ?? ''
  if (contentType !== 'application/json') {
    const [type, ...parameters] = contentType.split(';').map((each) => each.trim().toLowerCase())
    if (type !== 'application/json') throw unsupported('The content-type must be application/json.')
    const charset = parameters.find((each) => each.startsWith('charset='))
    if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
      throw unsupported('The charset of the body must be UTF-8.')
    }
  }
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw unsupported('The body must not be compressed: send it without content-encoding.')
  }
}

let decoder: TextDecoder | undefined

const malformed = (): RequestRefusedError =>
  new RequestRefusedError('malformed_json', 'The body must be complete JSON in UTF-8.')

/**
 * Reads the text of a request's JSON body: `application/json` in UTF-8, at most `maxBytes` long (64 KiB by default).
 *
 * @throws RequestRefusedError `unsupported_media_type`, `body_too_large` or `malformed_json`.
 */
export const readText = async (
  request: ApiRequest,
  maxBytes: number = limits.requestBodyMaxBytes,
): Promise<string> => {
  checkMediaType(request)
  try {
    const isDeclaredTooLong = Number(request.headers.get('content-length')) > maxBytes
    const body = isDeclaredTooLong ? undefined : await request.readBody(maxBytes)
    decoder ??= new TextDecoder('utf-8', { fatal: true })
    if (body !== undefined) return decoder.decode(body)
  } catch {
    // After bytes that are not UTF-8, Firefox's decoder keeps the next byte order mark.
    decoder = undefined
    throw malformed()
  }
  throw new RequestRefusedError('body_too_large', `The body must be at most ${maxBytes} bytes long.`)
}

/** Parses a body. @throws RequestRefusedError `malformed_json`. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

/** Reads and parses a body, like {@link readText} and {@link parseJson}. */
export const readJson = async (request: ApiRequest, maxBytes?: number): Promise<unknown> =>
  parseJson(await readText(request, maxBytes))

/** The parts of a response other than its body. @inline */
export type ResponseHead = {
  /** Identifies the response in support requests. */
  readonly requestId: string
  /** @default 200 */
  readonly status?: number
  /** Headers to add to the standard ones. Their names are lowercase. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Builds a JSON response that caches must not store. */
export const buildJsonResponse = (
  body: object,
  { requestId, status = 200, headers }: ResponseHead,
): ApiResponse => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...headers,
  },
  body: JSON.stringify(body),
})

/** Converts an error to the error that the caller gets. It reveals nothing about an unexpected error. */
const toRefusal = (error: unknown): RequestRefusedError => {
  if (error instanceof RequestRefusedError) return error
  if (error instanceof StorageUnavailableError) {
    const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)))
    const message = 'The service cannot reach its storage. Try again later.'
    return new RequestRefusedError('storage_unavailable', message, { headers: { 'retry-after': seconds } })
  }
  if (error instanceof StorageOutcomeUnknownError) {
    const message =
      'The service lost its storage during the change, which may or may not have been made. Check before you repeat the request.'
    return new RequestRefusedError('outcome_unknown', message)
  }
  return new RequestRefusedError(
    'internal_error',
    'An unexpected error occurred. Report it to the operator, with the x-request-id.',
  )
}

/**
 * Builds the response to a request that failed.
 *
 * @param error - a `RequestRefusedError` or an error from the store; anything else becomes `internal_error`.
 */
export const refuseRequest = (error: unknown, { requestId, headers: more }: ResponseHead): ApiResponse => {
  const { status, code, message, issues, headers } = toRefusal(error)
  const body: ErrorBody = {
    statusCode: status,
    error: reasonPhrases[status],
    message,
    code,
    ...(issues.length > 0 && { issues: [...issues] }),
  }
  return buildJsonResponse(body, { requestId, status, headers: { ...more, ...headers } })
}
