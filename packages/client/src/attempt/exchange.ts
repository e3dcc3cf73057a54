import ky, { isNetworkError } from 'ky'
import { type ApiCall, isSuccess } from '../api-call.ts'
import type { FetchInit } from '../options/fetch.ts'
import type { Settings } from '../options/settings.ts'
import { errorBodyLimit, type ReadBody, readBody, successBodyLimit } from '../response/read-body.ts'
import { raceAbort, throwIfAborted } from './race-abort.ts'

/** What one exchange needs besides the settings and the call. */
type Exchange = {
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Runs right before `fetch`. If it did not run, nothing was sent. */
  readonly onSend: () => void
}

const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'text' in value

/**
 * Sends a request with ky, without its retries and status checks. `fetch` gets a URL and plain options: undici and
 * node-fetch refuse a `Request` of the platform, and calls in Node would take 50% longer, because it copies the body.
 */
const sendWithKy = async (
  { baseUrl, fetch = globalThis.fetch }: Settings,
  { method, path, body }: ApiCall<unknown>,
  { headers, signal, onSend }: Exchange,
): Promise<Response> => {
  const url = baseUrl + path
  const init: FetchInit = {
    method,
    headers: Object.fromEntries(headers),
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  }
  const pending = ky(url, {
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: async () => {
      if (!fetch) throw new TypeError('this runtime has no fetch: pass one to createClient')
      throwIfAborted(signal)
      onSend()
      const response = await fetch(url, init)
      if (!isResponse(response)) throw new TypeError('fetch did not return a Response')
      return response
    },
  })
  try {
    return await raceAbort(signal, pending)
  } catch (error) {
    // A fetch that ignores its signal may still resolve. Nobody would read that response.
    pending.then((late) => late.body?.cancel()).catch(() => {})
    throw isNetworkError(error) ? error.cause : error
  }
}

/**
 * Sends one request and reads its response. Rejects with the runtime's own error if there is no response, or if the
 * body of a successful GET is cut off. Any other response with an incomplete body is returned, because the status and
 * request id of a create request must not be lost.
 */
export const exchange = async (
  settings: Settings,
  call: ApiCall<unknown>,
  request: Exchange,
): Promise<ReadBody & { readonly response: Response }> => {
  const response = await sendWithKy(settings, call, request)
  const success = isSuccess(call, response)
  const body = await readBody(response, success ? successBodyLimit : errorBodyLimit, request.signal)
  if (success && call.method === 'GET' && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
