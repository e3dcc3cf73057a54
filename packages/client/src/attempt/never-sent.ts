/** What runtimes report only before a request's first byte could leave: no address, no connection, no trust. */
const codes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun before 1.4.
  'ConnectionRefused',
  'FailedToOpenSocket',
  // TLS: certificates are checked before anything is sent.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const systemCalls = new Set(['connect', 'getaddrinfo'])
/** Deno gives no codes, but says that it was connecting; Node says "bad port" of one that fetch forbids. */
const sentences = /^(?:error sending request for url \(\S+\): client error \(Connect\)|bad port$)/

type Failure = { code?: unknown; syscall?: unknown; message?: unknown; cause?: unknown; errors?: unknown }

const isFailure = (value: unknown): value is Failure => typeof value === 'object' && value !== null

/**
 * Whether a failed fetch provably never carried the request. `false` means that it is not known, as always in
 * browsers and workerd, which say no more than that it failed.
 */
export const neverSent = (error: unknown, depth = 0): boolean => {
  if (!isFailure(error) || depth > 4) return false
  const { code, syscall, message, cause, errors } = error
  // One address after the other was tried: all of them must have failed before sending.
  if (Array.isArray(errors) && errors.length > 0) return errors.every((inner) => neverSent(inner, depth + 1))
  if (codes.has(String(code)) || systemCalls.has(String(syscall)) || sentences.test(String(message)))
    return true
  return neverSent(cause, depth + 1)
}
