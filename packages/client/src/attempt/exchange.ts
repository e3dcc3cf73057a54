import ky, { isNetworkError } from 'ky'
import { type ApiCall, isSuccess } from '../api-call.ts'
import type { Settings } from '../options/settings.ts'
import { errorBodyLimit, type ReadBody, readBody, successBodyLimit } from '../response/read-body.ts'
import { raceAbort } from './race-abort.ts'

/**
 * Sends a request with ky, without its retries and status checks. ky gets a ready `fetch`: the runtime would copy a
 * `Request` of ky's own and pipe its body, and calls in Node would take 50% longer.
 */
const sendWithKy = async (
  { baseUrl, fetch }: Settings,
  { method, path, body }: ApiCall<unknown>,
  headers: Headers,
  signal: AbortSignal,
): Promise<Response> => {
  const url = baseUrl + path
  const init: RequestInit = {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  }
  const pending = ky(url, {
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: () => (fetch ? fetch(new Request(url, init)) : globalThis.fetch(url, init)),
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
  headers: Headers,
  signal: AbortSignal,
): Promise<ReadBody & { readonly response: Response }> => {
  const response = await sendWithKy(settings, call, headers, signal)
  const success = isSuccess(call, response)
  const body = await readBody(response, success ? successBodyLimit : errorBodyLimit, signal)
  if (success && call.method === 'GET' && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
