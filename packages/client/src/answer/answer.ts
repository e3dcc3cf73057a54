import type { ReadBody } from './read-body.ts'
import type { Redact } from './redact.ts'

/** An answer as it came. */
export type Answer = ReadBody & {
  readonly response: Response
  /** The answer's `x-request-id`. */
  readonly requestId: string | undefined
  /** Takes the request's secrets out of what an error repeats of the answer. */
  readonly redact: Redact
}

/** The answer's headers without the request's secrets. */
export const redactedHeaders = (received: Headers, redact: Redact): Headers => {
  const headers = new Headers()
  for (const [name, value] of received) headers.append(name, redact(value))
  return headers
}
