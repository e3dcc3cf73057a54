import ky, { isNetworkError } from 'ky'
import { errorBodyLimit, type ReadBody, readBody, successBodyLimit } from '../answer/read-body.ts'
import { type Call, isSuccess } from '../call.ts'
import type { Settings } from '../options/settings.ts'
import { abortable } from './abortable.ts'

/** Sends with ky, which here repeats nothing, follows nothing and judges no status. */
const fetchWithKy = async (
  { baseUrl, fetch }: Settings,
  { method, path, body }: Call<unknown>,
  headers: Headers,
  signal: AbortSignal,
): Promise<Response> => {
  const answering = ky(baseUrl + path, {
    method,
    headers,
    signal,
    redirect: 'manual',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    ...(body !== undefined && { body }),
    ...(fetch && { fetch: (input) => fetch(input instanceof Request ? input : new Request(input)) }),
  })
  try {
    return await abortable(signal, answering)
  } catch (error) {
    // A fetch that takes no notice of its signal may still answer, and nobody would read that.
    answering.then((late) => late.body?.cancel()).catch(() => {})
    // ky's error holds the request, and with it the key.
    throw isNetworkError(error) ? error.cause : error
  }
}

/**
 * Sends one request and reads its answer. Rejects with the runtime's own error where no answer came, and where a
 * success came without the end of its body; any other answer counts however little of its body came.
 */
export const exchange = async (
  settings: Settings,
  call: Call<unknown>,
  headers: Headers,
  signal: AbortSignal,
): Promise<ReadBody & { readonly response: Response }> => {
  const response = await fetchWithKy(settings, call, headers, signal)
  const success = isSuccess(call, response)
  const body = await readBody(response, success ? successBodyLimit : errorBodyLimit, signal)
  if (success && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
