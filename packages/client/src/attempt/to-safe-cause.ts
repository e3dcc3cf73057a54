import type { Redact } from '../response/redact.ts'

const maxDepth = 4

const isPlain = (value: object): boolean =>
  value instanceof Error || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype

/** Checks whether `value` consists of plain objects, errors and primitives, none of which contains a secret. */
const isClean = (value: unknown, redact: Redact, depth = 0): boolean => {
  if (typeof value === 'string') return redact(value) === value
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > maxDepth || !isPlain(value)) return false
  // The message of an error may be inherited.
  return [...Reflect.ownKeys(value), 'message'].every((name) =>
    isClean(Reflect.get(value, name), redact, depth + 1),
  )
}

const copy = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (!(value instanceof Error)) return typeof value === 'string' ? redact(value) : undefined
  if (depth > maxDepth) return undefined
  const error = new Error(redact(value.message), { cause: copy(value.cause, redact, depth + 1) })
  error.name = redact(value.name)
  return 'code' in value ? Object.assign(error, { code: redact(String(value.code)) }) : error
}

/**
 * Returns a cause that our errors may keep: the original, or a redacted copy of its names, messages and codes if the
 * original may contain a secret. Causes can hold the request, or quote a response that is not HTTP.
 */
export const toSafeCause = (cause: unknown, redact: Redact): unknown =>
  isClean(cause, redact) ? cause : copy(cause, redact)
