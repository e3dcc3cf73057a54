import ky, { isNetworkError } from 'ky'
import { errorBodyLimit, type ReadBody, readBody, successBodyLimit } from '../answer/read-body.ts'
import { type Call, isSuccess } from '../call.ts'
import type { Settings } from '../options/settings.ts'
import { abortable } from './abortable.ts'

/**
 * Sends with ky, which here repeats nothing and judges no status. It gets the request as a ready `fetch`: a `Request`
 * of ky's own would be copied once more by the runtime, its body piped, and a call in Node take half as long again.
 */
const sendWithKy = async (
  { baseUrl, fetch }: Settings,
  { method, path, body }: Call<unknown>,
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
  const answering = ky(url, {
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: () => (fetch ? fetch(new Request(url, init)) : globalThis.fetch(url, init)),
  })
  try {
    return await abortable(signal, answering)
  } catch (error) {
    // A fetch that takes no notice of its signal may still answer, and nobody would read that.
    answering.then((late) => late.body?.cancel()).catch(() => {})
    throw isNetworkError(error) ? error.cause : error
  }
}

/**
 * Sends one request and reads its answer. Rejects with the runtime's own error where no answer came, and where a read
 * succeeded without the end of its body. Any other answer counts however little of its body came: of a create, status
 * and request id must not be lost.
 */
export const exchange = async (
  settings: Settings,
  call: Call<unknown>,
  headers: Headers,
  signal: AbortSignal,
): Promise<ReadBody & { readonly response: Response }> => {
  const response = await sendWithKy(settings, call, headers, signal)
  const success = isSuccess(call, response)
  const body = await readBody(response, success ? successBodyLimit : errorBodyLimit, signal)
  if (success && call.method === 'GET' && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
