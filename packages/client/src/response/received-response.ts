import { errorBodyLimit, type ReadBody } from './read-body.ts'
import type { Redact } from './redact.ts'

export type ReceivedResponse = ReadBody & {
  readonly response: Response
  /** The URL of the request. */
  readonly url: string
  /** The response's `x-request-id`. */
  readonly requestId: string | undefined
  /** Removes the request's secrets from what an error quotes of the response. */
  readonly redact: Redact
}

/** Returns what an error keeps of a response, without the request's secrets. */
export const redactResponse = ({ response, text, requestId, redact }: ReceivedResponse) => {
  const headers = new Headers()
  response.headers.forEach((value, name) => void headers.append(name, redact(value)))
  return {
    status: response.status,
    requestId: requestId && redact(requestId),
    headers,
    // A character that the limit divides is dropped.
    body: redact(text.slice(0, errorBodyLimit).replace(/[\ud800-\udbff]$/, '')),
  }
}
