/** Codes that a runtime gives only before a request's first byte could leave. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

const field = (error: unknown, name: 'cause' | 'code' | 'errors'): unknown =>
  typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined

/**
 * Whether a failed fetch provably never carried the request. `false` means that it is not known, as always in
 * browsers and workers, which give no codes.
 */
export const neverSent = (error: unknown, depth = 0): boolean => {
  if (depth > 4) return false
  const errors = field(error, 'errors')
  if (Array.isArray(errors) && errors.length > 0) return errors.every((inner) => neverSent(inner, depth + 1))
  if (beforeSending.has(String(field(error, 'code')))) return true
  const cause = field(error, 'cause')
  return cause !== undefined && neverSent(cause, depth + 1)
}
