import type { ConnectionInfo, ReferenceServer } from '@wabakit/core'
import { findEndpoint } from '@wabakit/core/hosting'
import { type ApiFaults, respondWithFault } from '@wabakit/core/simulation'
import { type ErrorCode, isErrorCode, toBodyStream, validateReceivedErrorBody } from '@wabakit/wire'
import type { RecordedRequest } from '../recording.ts'
import { sleepRealTime } from '../time/timers.ts'

/** Responds to requests to the public API. Rejects like `fetch` if a fault resets the connection. */
export type Api = (request: Request, connection?: ConnectionInfo) => Promise<Response>

type ApiOptions = {
  readonly server: Pick<ReferenceServer, 'fetch'>
  readonly faults: Pick<ApiFaults, 'take'>
  /** Responds as the profile `live` does; `undefined` in the profile `reference`. */
  readonly respondLive:
    | ((request: Request, respond: (request: Request) => Promise<Response>) => Promise<Response>)
    | undefined
  readonly createRequestId: () => string
  readonly now: () => number
  readonly record: (request: RecordedRequest) => void
}

/** Maximum length of a recorded body, in characters. The rest is not read. */
const maxLength = 65_536

/** Reads the start of a body as JSON or text, for the recording. Returns `undefined` if there is no body. */
const readBody = async (request: Request): Promise<unknown> => {
  const reader = toBodyStream(request.clone()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < maxLength) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
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
  ({ server, faults, respondLive, createRequestId, now, record }: ApiOptions): Api =>
  async (request, connection) => {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const endpoint = findEndpoint(url.pathname)
    const fault = faults.take(endpoint)
    const recorded = {
      endpoint,
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: new Headers(request.headers),
      body: await readBody(request),
      at: now(),
      fault,
    }
    let code: ErrorCode | undefined
    const respondReference = async (received: Request): Promise<Response> => {
      const response = await server.fetch(received, connection)
      code = response.status === 200 ? undefined : await readErrorCode(response)
      return response
    }
    const respond = () =>
      respondLive === undefined ? respondReference(request) : respondLive(request, respondReference)
    if (fault === undefined) {
      const response = await respond()
      // In the profile `live`, a call may have no summary although the reference server has one.
      if (response.status === 404) code ??= 'summary_not_found'
      if (response.status === 429) code ??= 'rate_limited'
      const verdict = code ?? 'ok'
      record({ ...recorded, status: response.status, verdict })
      return response
    }
    try {
      const sleep = (ms: number) => sleepRealTime(ms, request.signal)
      // On some systems, a reset discards what the client has not read yet.
      const flush = () => sleep(20)
      const exchange = { endpoint, createRequestId, respond, sleep, flush, reset: throwConnectionReset }
      const response = await respondWithFault(fault, exchange)
      record({ ...recorded, status: response.status, verdict: 'fault' })
      return response
    } catch (error) {
      record({ ...recorded, status: undefined, verdict: 'fault' })
      throw error
    }
  }
