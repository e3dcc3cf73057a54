import type { ConnectionInfo, ReferenceServer, RequestDescribed } from '@wabakit/core'
import { findEndpoint, toApiRequest } from '@wabakit/core/hosting'
import { type ApiFaults, respondWithFault } from '@wabakit/core/simulation'
import { type ErrorCode, isErrorCode, toBodyStream, validateReceivedErrorBody } from '@wabakit/wire'
import type { RecordedRequest } from '../recording.ts'
import { sleepRealTime } from '../time/timers.ts'

/** Responds to requests to the public API. Rejects like `fetch` if a fault resets the connection. */
export type Api = (request: Request, connection?: ConnectionInfo) => Promise<Response>

type ApiOptions = {
  readonly server: Pick<ReferenceServer, 'fetch' | 'describeSent'>
  readonly faults: Pick<ApiFaults, 'take'>
  /** Responds as the profile `live` or a measured one does; `undefined` in the profile `reference`. */
  readonly respondLive:
    | ((request: Request, respond: (request: Request) => Promise<Response>) => Promise<Response>)
    | undefined
  readonly createRequestId: () => string
  readonly now: () => number
  readonly record: (request: RecordedRequest) => void
  /** Called if the mock sent another response than the reference server's, or none. */
  readonly correct: (request: RequestDescribed) => void
}

/** A body is read for the recording until it has this many characters. The chunks after that are not. */
const maxLength = 65_536

/** Reads the start of a body, for the recording. */
const readBody = async (request: Request): Promise<string> => {
  const reader = toBodyStream(request.clone()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < maxLength) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
  return text
}

/** Returns a body as JSON or text; `undefined` if there is none. */
const parseBody = (text: string): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const readErrorCode = async (response: Response): Promise<ErrorCode | undefined> => {
  const body = validateReceivedErrorBody(await response.clone().json())
  return body.success && isErrorCode(body.data.code) ? body.data.code : undefined
}

/** Throws the error that Node's `fetch` rejects with when a connection is reset. */
const throwConnectionReset = (): never => {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
  throw new TypeError('fetch failed', { cause })
}

export const createApi =
  ({ server, faults, respondLive, createRequestId, now, record, correct }: ApiOptions): Api =>
  async (request, connection) => {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const endpoint = findEndpoint(url.pathname)
    const fault = faults.take(endpoint)
    const requestBody = await readBody(request)
    const startedAt = now()
    const recorded = {
      endpoint,
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: new Headers(request.headers),
      body: parseBody(requestBody),
      at: startedAt,
      fault,
    }
    let code: ErrorCode | undefined
    let original: Response | undefined
    /** Corrects the log of requests. A response that breaks off cannot be read. */
    const log = async (sent: Response | undefined): Promise<void> => {
      if (sent !== undefined && sent === original) return
      const responseBody = (!fault?.truncated && (await sent?.clone().text())) || null
      const requestId = (original ?? sent)?.headers.get('x-request-id') ?? createRequestId()
      const [status, durationMs] = [sent?.status ?? null, now() - startedAt]
      const outcome = { requestId, durationMs, status, requestBody, responseBody }
      correct(await server.describeSent(toApiRequest(request), outcome, connection))
    }
    const respondReference = async (received: Request): Promise<Response> => {
      const response = await server.fetch(received, connection)
      original = response
      code = response.status === 200 ? undefined : await readErrorCode(response)
      return response
    }
    const respond = () =>
      respondLive === undefined ? respondReference(request) : respondLive(request, respondReference)
    if (fault === undefined) {
      const response = await respond()
      // In the profile `live`, a summary may be missing or forbidden although the reference server has it.
      if (response.status === 403 || response.status === 404) code ??= 'summary_not_found'
      if (response.status === 429) code ??= 'rate_limited'
      const verdict = code ?? 'ok'
      await log(response)
      record({ ...recorded, status: response.status, verdict })
      return response
    }
    try {
      const sleep = (ms: number) => sleepRealTime(ms, request.signal)
      // On some systems, a reset discards what the client has not read yet.
      const flush = () => sleep(20)
      const exchange = { endpoint, createRequestId, respond, sleep, flush, reset: throwConnectionReset }
      const response = await respondWithFault(fault, exchange)
      await log(response)
      record({ ...recorded, status: response.status, verdict: 'fault' })
      return response
    } catch (error) {
      await log(undefined)
      record({ ...recorded, status: undefined, verdict: 'fault' })
      throw error
    }
  }
