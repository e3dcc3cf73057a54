import { isNetworkError } from 'ky'
import { type ApiCall, isSuccess } from '../api-call.ts'
import type { Settings } from '../options/settings.ts'
import { errorBodyLimit, type ReadBody, readBody, successBodyLimit } from '../response/read-body.ts'
import { raceAbort } from './race-abort.ts'
import { type Exchange, sendWithKy } from './send-with-ky.ts'

const sendAbortably = async (
  settings: Settings,
  call: ApiCall<unknown>,
  request: Exchange,
): Promise<Response> => {
  const pending = sendWithKy(settings, call, request)
  try {
    return await raceAbort(request.signal, pending)
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
  const response = await sendAbortably(settings, call, request)
  const success = isSuccess(call, response)
  const body = await readBody(response, success ? successBodyLimit : errorBodyLimit, request.signal)
  if (success && call.method === 'GET' && typeof body.cut === 'object') throw body.cut.error
  return { ...body, response }
}
