import type { ApiCall, WithResponse } from '../api-call.ts'
import { ResponseFormatError } from '../errors/call-errors.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import { createApiError, type ReceivedResponse, redactResponse } from './create-api-error.ts'

/**
 * The outcome of an attempt. If an attempt throws instead (after an abort, or because of a hook), the call rejects with
 * that error.
 */
export type Outcome<Data> =
  | { readonly result: WithResponse<Data>; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: WabakitError }

const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** Checks whether a string that is not JSON is empty, or starts like a JSON object. */
const endsEarly = (text: string): boolean => /^\s*(?:\{|$)/.test(text)

export const interpretResponse = <Data>(
  call: ApiCall<Data>,
  received: ReceivedResponse,
  now: () => number,
): Outcome<Data> => {
  const { response, url, text, cut, requestId, redact, isSuccess } = received
  const { status } = response
  const fail = (
    what: string,
    { isComplete = true, issues = [] }: Partial<Pick<ResponseFormatError, 'isComplete' | 'issues'>> = {},
  ) => {
    const details = redactResponse(received)
    const mark = details.requestId ? ` (request ${details.requestId})` : ''
    const message = `${redact(`${call.method} ${url} returned ${what}`)}${mark}`
    return { failure: new ResponseFormatError(message, { ...details, isComplete, issues }) }
  }
  if (isRedirect(response)) {
    const location = response.headers.get('location')
    return fail(
      `a redirect${location ? ` to ${location}` : ''}. Redirects are not followed, because that would send the key elsewhere: set baseUrl to the final address`,
    )
  }
  if (!isSuccess) return { failure: createApiError(call, received, now) }
  if (cut === 'limit') return fail(`${status} with a body over 1 MiB`)
  if (cut) return fail(`${status} with an incomplete body`, { isComplete: false })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    const issues = [{ path: '', message: 'must be JSON' }]
    return fail(`${status} with a body that is not JSON`, { isComplete: !endsEarly(text), issues })
  }
  const parsed = call.parse(json)
  if (parsed.success) return { result: { data: parsed.data, response, requestId } }
  const { issues } = parsed
  const problems = issues.map(({ message }) => message).join('; ')
  return fail(`${status} with a body that does not match the contract: ${problems}`, { issues })
}
