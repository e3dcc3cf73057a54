import type { Issue } from '@wabakit/contract'
import type { Call } from '../call.ts'
import { ResponseFormatError } from '../errors/response-format-error.ts'
import { type Answer, redactedHeaders } from './answer.ts'

const bodyLimit = 65_536

/** The error for an answer that `reason` finds outside the contract. */
export const responseFormatErrorOf = (
  call: Call<unknown>,
  answer: Answer,
  reason: string,
  issues: readonly Issue[] = [],
): ResponseFormatError => {
  const { response, redact } = answer
  const requestId = answer.requestId === undefined ? undefined : redact(answer.requestId)
  const request = requestId ? ` (request ${requestId})` : ''
  return new ResponseFormatError(`${call.method} ${call.path} ${redact(reason)}${request}`, {
    status: response.status,
    issues,
    requestId,
    headers: redactedHeaders(answer),
    body: redact(answer.text).slice(0, bodyLimit),
  })
}
