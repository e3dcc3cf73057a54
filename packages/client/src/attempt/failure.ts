import type { Redact } from '../answer/redact.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { TimeoutError, type TimeoutErrorDetails } from '../errors/timeout-error.ts'
import type { HookRequest } from '../options/hooks.ts'
import { neverSent } from './never-sent.ts'
import { safeCause } from './safe-cause.ts'

/** How long an attempt may take, and the option that says so. */
export type AttemptLimit = Pick<TimeoutErrorDetails, 'limit' | 'timeoutMs'> & {
  /** Milliseconds that are left for this attempt. */
  readonly ms: number
}

/** The error of an attempt whose time was over. */
export const timeoutErrorOf = (
  { method, path }: HookRequest,
  { limit, timeoutMs }: AttemptLimit,
  neverSent: boolean,
): TimeoutError =>
  new TimeoutError(`${method} ${path} brought no whole answer within ${limit} (${timeoutMs} ms)`, {
    limit,
    timeoutMs,
    neverSent,
  })

/** The innermost sentence: the outer ones say no more than "fetch failed". */
const sentenceOf = (error: unknown, depth = 0): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error && depth < 4) return sentenceOf(error.cause, depth + 1)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** The error of an attempt whose connection failed with `thrown`. */
export const connectionErrorOf = (
  { method, path }: HookRequest,
  thrown: unknown,
  redact: Redact,
): ConnectionError =>
  new ConnectionError(`${method} ${path} brought no whole answer: ${redact(sentenceOf(thrown))}`, {
    neverSent: neverSent(thrown),
    cause: safeCause(thrown, redact),
  })
