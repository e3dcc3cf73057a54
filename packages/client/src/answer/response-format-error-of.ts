import type { Issue } from '@wabakit/contract'
import type { Call } from '../call.ts'
import { ResponseFormatError } from '../errors/response-format-error.ts'
import { type Answer, redactedHeaders } from './answer.ts'
import { errorBodyLimit } from './read-body.ts'

/** The beginning of a text, as long as UTF-8 has it in `bytes`. */
const beginning = (text: string, bytes: number): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true })

/** The error for an answer that `reason` finds outside the contract. */
export const responseFormatErrorOf = (
  { method, path }: Call<unknown>,
  { response, text, redact, ...answer }: Answer,
  reason: string,
  issues: readonly Issue[] = [],
): ResponseFormatError => {
  const requestId = answer.requestId === undefined ? undefined : redact(answer.requestId)
  const mark = requestId ? ` (request ${requestId})` : ''
  return new ResponseFormatError(`${method} ${path} ${redact(reason)}${mark}`, {
    status: response.status,
    issues,
    requestId,
    headers: redactedHeaders(response.headers, redact),
    body: redact(beginning(text, errorBodyLimit)),
  })
}
