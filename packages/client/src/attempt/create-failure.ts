import { ConnectionError } from '../errors/connection-error.ts'
import { TimeoutError, type TimeoutErrorDetails } from '../errors/timeout-error.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { Redact } from '../response/redact.ts'
import { toSafeCause } from './to-safe-cause.ts'
import { wasNeverSent } from './was-never-sent.ts'

/** The time limit of an attempt, and the option that sets it. */
export type AttemptLimit = Pick<TimeoutErrorDetails, 'limit' | 'timeoutMs'> & {
  /** The time that is left for this attempt, in milliseconds. */
  readonly leftMs: number
}

/** What is known of a failed attempt. */
type Attempt = {
  readonly redact: Redact
  /** Whether `fetch` was called. */
  readonly sent: boolean
}

export const createTimeoutError = (
  { method, url }: HookRequest,
  { limit, timeoutMs }: AttemptLimit,
  { redact, sent }: Attempt,
): TimeoutError =>
  new TimeoutError(redact(`${method} ${url} got no complete response within ${limit} (${timeoutMs} ms)`), {
    limit,
    timeoutMs,
    neverSent: !sent,
  })

/** Returns the message of the innermost cause, because the outer ones only say "fetch failed". */
const getInnermostMessage = (error: unknown, depth = 0): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error && depth < 4) return getInnermostMessage(error.cause, depth + 1)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

export const createConnectionError = (
  { method, url }: HookRequest,
  thrown: unknown,
  { redact, sent }: Attempt,
): ConnectionError =>
  new ConnectionError(redact(`${method} ${url} got no complete response: ${getInnermostMessage(thrown)}`), {
    neverSent: !sent || wasNeverSent(thrown),
    cause: toSafeCause(thrown, redact),
  })
