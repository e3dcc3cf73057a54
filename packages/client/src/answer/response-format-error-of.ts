import type { Issue } from '@wabakit/contract'
import type { Call } from '../call.ts'
import { ResponseFormatError } from '../errors/response-format-error.ts'
import { type Answer, redactedHeaders } from './answer.ts'
import { errorBodyLimit } from './read-body.ts'

/** The beginning of a text, as long as UTF-8 has it in `bytes`. */
const beginning = (text: string, bytes: number): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true })

/** What is wrong with an answer. */
export type FormatFault = {
  readonly reason: string
  readonly issues?: readonly Issue[]
  /** @default true */
  readonly isComplete?: boolean
}

/** The error for an answer outside the contract. */
export const responseFormatErrorOf = (
  { method, path }: Call<unknown>,
  { response, text, redact, ...answer }: Answer,
  { reason, issues = [], isComplete = true }: FormatFault,
): ResponseFormatError => {
  const requestId = answer.requestId === undefined ? undefined : redact(answer.requestId)
  const mark = requestId ? ` (request ${requestId})` : ''
  return new ResponseFormatError(`${method} ${path} ${redact(reason)}${mark}`, {
    status: response.status,
    isComplete,
    issues,
    requestId,
    headers: redactedHeaders(response.headers, redact),
    body: redact(beginning(text, errorBodyLimit)),
  })
}
