import type { Received } from './exchange.ts'
import { type Redact, redactOf, secretsOf } from './redact.ts'

/** An answer as it came. */
export type Answer = Received & {
  /** The answer's `x-request-id`. */
  readonly requestId: string | undefined
  /** Takes the request's secrets out of what an error repeats of the answer. */
  readonly redact: Redact
}

/** Joins what was received with what is needed to report it. */
export const answerOf = (
  received: Received,
  apiKey: string | undefined,
  visible: Headers,
  sent: Headers,
): Answer => {
  let redact: Redact | undefined
  return {
    ...received,
    requestId: received.response.headers.get('x-request-id') ?? undefined,
    // Made on first use: a success never needs it.
    redact: (text) => {
      redact ??= redactOf(secretsOf(apiKey, visible, sent))
      return redact(text)
    },
  }
}

/** The answer's headers without the request's secrets. */
export const redactedHeaders = ({ response, redact }: Answer): Headers => {
  const headers = new Headers()
  for (const [name, value] of response.headers) headers.append(name, redact(value))
  return headers
}
