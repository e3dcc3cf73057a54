import type { WithResponse } from '../api-promise.ts'
import { type Call, isSuccess } from '../call.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { Answer } from './answer.ts'
import { apiErrorOf } from './api-error-of.ts'
import { type FormatFault, responseFormatErrorOf } from './response-format-error-of.ts'

/** What an attempt came to. Whatever is thrown instead (an abort, a hook's own error) ends the call as it is. */
export type Outcome<Data> =
  | { readonly result: WithResponse<Data>; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: WabakitError }

const redirected = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** Whether a text that is not JSON is the beginning of a JSON object, or nothing at all. */
const endsEarly = (text: string): boolean => /^\s*(?:\{|$)/.test(text)

/** Tells what a wholly received answer means. */
export const judge = <Data>(call: Call<Data>, answer: Answer, now: () => number): Outcome<Data> => {
  const { response, text, cut, requestId } = answer
  const fail = (reason: string, fault: Omit<FormatFault, 'reason'> = {}) => ({
    failure: responseFormatErrorOf(call, answer, { reason, ...fault }),
  })
  if (redirected(response)) {
    const to = response.headers.get('location')
    return fail(
      `answered with a redirect${to ? ` to ${to}` : ''}. Redirects are not followed, they would carry the key elsewhere: set baseUrl to the final address`,
    )
  }
  if (!isSuccess(call, response)) return { failure: apiErrorOf(call, answer, now) }
  if (cut === 'limit') return fail(`answered ${response.status} with a body over 1 MiB`)
  if (cut) return fail(`answered ${response.status} with an incomplete body`, { isComplete: false })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return fail(`answered ${response.status} with a body that is not JSON`, {
      isComplete: !endsEarly(text),
      issues: [{ path: '', message: 'must be JSON' }],
    })
  }
  const parsed = call.parse(json)
  if (!parsed.success) {
    const what = parsed.issues.map(({ message }) => message).join('; ')
    return fail(`answered ${response.status} with a body outside the contract: ${what}`, {
      issues: parsed.issues,
    })
  }
  return { result: { data: parsed.data, response, requestId } }
}
