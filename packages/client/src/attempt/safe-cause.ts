import type { Redact } from '../answer/redact.ts'

const deepest = 4

const isHolder = (value: object): boolean =>
  value instanceof Error || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype

/** Whether nothing under `value` shows a secret: texts without one, numbers, and errors and plain objects of such. */
const isClean = (value: unknown, redact: Redact, depth = 0): boolean => {
  if (typeof value === 'string') return redact(value) === value
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > deepest || !isHolder(value)) return false
  const names = new Set<string | symbol>(Reflect.ownKeys(value))
  if (value instanceof Error) names.add('message')
  return [...names].every((name) => isClean(Reflect.get(value, name), redact, depth + 1))
}

const copy = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (!(value instanceof Error)) return typeof value === 'string' ? redact(value) : undefined
  if (depth > deepest) return undefined
  const error = new Error(redact(value.message), { cause: copy(value.cause, redact, depth + 1) })
  error.name = redact(value.name)
  return 'code' in value ? Object.assign(error, { code: redact(String(value.code)) }) : error
}

/**
 * A failure's cause as an error may keep it: itself, or, where it holds the request or repeats a secret of it (an
 * answer that is not HTTP comes as a part of the runtime's error), a copy of its names, messages and codes.
 */
export const safeCause = (cause: unknown, redact: Redact): unknown =>
  isClean(cause, redact) ? cause : copy(cause, redact)
