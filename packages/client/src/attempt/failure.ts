import { isError } from '@wabakit/wire'
import { ConnectionError, TimeoutError } from '../errors/call-errors.ts'
import type { HookRequest } from '../options/hooks.ts'
import { copyWithoutSecrets, type Hide } from './hide-secrets.ts'

/** The time limit of an attempt, and the option that sets it. */
export type AttemptLimit = Pick<TimeoutError, 'limit' | 'timeoutMs'> & {
  /** The remaining time for this attempt, in milliseconds. */
  readonly leftMs: number
}

/**
 * Error codes in Node and Bun for a failed DNS lookup or connection, and OpenSSL's for an untrusted certificate.
 * Certificates are checked before the request is sent.
 */
const codes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$|(?:^|_)CERT(?:_|$)|^UNABLE_TO_/

const systemCalls = /^(?:connect|getaddrinfo)$/

/** Messages of errors without a code: Deno's connection errors, and Node's "bad port" for a port that fetch blocks. */
const messages = /^(?:error sending request for url \(\S+\): client error \(Connect\)|bad port$)/

type Failure = { code?: unknown; syscall?: unknown; message?: unknown; cause?: unknown; errors?: unknown }

/**
 * Checks whether a failed fetch provably sent nothing. `false` means unknown. In browsers and workerd, it is always
 * unknown.
 */
export const wasNeverSent = (error: unknown, depth = 0): boolean => {
  if (depth > 4) return false
  const { code, syscall, message, cause, errors }: Failure = Object(error)
  // If several addresses were tried, all attempts must have failed before the request was sent.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((inner) => wasNeverSent(inner, depth + 1))
  }
  return (
    codes.test(`${code}`) ||
    systemCalls.test(`${syscall}`) ||
    messages.test(`${message}`) ||
    wasNeverSent(cause, depth + 1)
  )
}

type Attempt = {
  readonly hide: Hide
  /** Set if `fetch` was called. */
  readonly sent: boolean
}

export const createTimeoutError = (
  { method, url }: HookRequest,
  { limit, timeoutMs }: AttemptLimit,
  { hide, sent }: Attempt,
): TimeoutError =>
  new TimeoutError(hide(`${method} ${url} got no complete response within ${limit} (${timeoutMs} ms)`), {
    limit,
    timeoutMs,
    neverSent: !sent,
  })

/** Returns the message of the innermost cause, because the outer ones just say "fetch failed". */
const getInnermostMessage = (error: unknown, depth = 0): string => {
  if (!isError(error)) return String(error)
  if (isError(error.cause) && depth < 4) return getInnermostMessage(error.cause, depth + 1)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

export const createConnectionError = (
  { method, url }: HookRequest,
  thrown: unknown,
  { hide, sent }: Attempt,
): ConnectionError =>
  new ConnectionError(hide(`${method} ${url} got no complete response: ${getInnermostMessage(thrown)}`), {
    neverSent: !sent || wasNeverSent(thrown),
    cause: copyWithoutSecrets(thrown, hide),
  })
