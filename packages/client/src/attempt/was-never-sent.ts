/** Codes that runtimes use only before they send the first byte: no address, no connection, or no trust. */
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
/** Deno has no codes, but its message says that it was connecting. Node's says "bad port" for a port that fetch blocks. */
const messages = /^(?:error sending request for url \(\S+\): client error \(Connect\)|bad port$)/

type Failure = { code?: unknown; syscall?: unknown; message?: unknown; cause?: unknown; errors?: unknown }

const isFailure = (value: unknown): value is Failure => typeof value === 'object' && value !== null

/**
 * Checks whether a failed fetch provably never sent the request. `false` means that this is not known: browsers and
 * workerd never say.
 */
export const wasNeverSent = (error: unknown, depth = 0): boolean => {
  if (!isFailure(error) || depth > 4) return false
  const { code, syscall, message, cause, errors } = error
  // Several addresses were tried: the attempts at all of them must have failed before sending.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((inner) => wasNeverSent(inner, depth + 1))
  }
  return (
    codes.has(String(code)) ||
    systemCalls.has(String(syscall)) ||
    messages.test(String(message)) ||
    wasNeverSent(cause, depth + 1)
  )
}
