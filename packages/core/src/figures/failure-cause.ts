import type { AttemptResult } from '../records.ts'

/** The likely cause of a failed attempt. */
export type FailureCause =
  | 'wrong_secret'
  | 'timestamp'
  | 'authorization'
  | 'not_found'
  | 'redirect'
  | 'gone'
  | 'rate_limited'
  | 'server_error'
  | 'rejected'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'target_refused'
  | 'custom_payload'
  | 'connection'

const errorPatterns: readonly (readonly [RegExp, FailureCause])[] = [
  [/^not sent:/, 'custom_payload'],
  [/refused to connect to/, 'target_refused'],
  [/no complete response|timeout|timed out/i, 'timeout'],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/, 'dns'],
  [/certificate|CERT_|TLS|SSL|self.signed/i, 'tls'],
]

const findCauseOfError = (error: string): FailureCause =>
  errorPatterns.find(([pattern]) => pattern.test(error))?.[1] ?? 'connection'

/** Determines the cause of a refusal from a receiver's response, whether or not the receiver uses wabakit. */
const findCauseOfRefusal = (body: string): FailureCause => {
  if (/timestamp/i.test(body)) return 'timestamp'
  return /signature|secret|hmac/i.test(body) ? 'wrong_secret' : 'authorization'
}

/** Returns the likely cause of a failed attempt. */
export const findFailureCause = ({
  status,
  error,
  responseBody,
}: Pick<AttemptResult, 'status' | 'error' | 'responseBody'>): FailureCause => {
  const body = responseBody ?? ''
  if (status === null) return findCauseOfError(error ?? '')
  if (status === 401 || status === 403) return findCauseOfRefusal(body)
  if (status === 400 && /signature|timestamp/i.test(body)) return findCauseOfRefusal(body)
  if (status === 404 || status === 405) return 'not_found'
  if (status === 410) return 'gone'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'server_error'
  return status >= 300 && status < 400 ? 'redirect' : 'rejected'
}
