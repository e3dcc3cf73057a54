import { acceptsFields, isObject } from './accepts-event.ts'
import { object, oneOf } from './event-rule.ts'
import { eventRules } from './event-rules.ts'
import type { Validation } from './validate.ts'
import type { EventName, WebhookEventOf } from './webhook-event.ts'

/** Checks whether a value is the event with this name, as its schema would. */
export const acceptsEvent = <Name extends EventName>(
  name: Name,
  value: unknown,
): value is WebhookEventOf<Name> => isObject(value) && value.event === name && acceptsFields[name](value)

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const omitProto = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'))

// Assigning a key named __proto__ would change a prototype. Nesting ends at one level: the event's own objects.
const removeProtoKeys = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const fields = Object.entries(omitProto(value))
  return Object.fromEntries(fields.map(([name, field]) => [name, isPlain(field) ? omitProto(field) : field]))
}

/**
 * Validates an event, several times faster than its schema does. A valid value is returned itself, not copied; only keys
 * named `__proto__` are removed, from a copy.
 *
 * @param name - the event's name.
 * @param value - the parsed JSON.
 * @returns the typed event, or the issues found.
 * @example
 * const result = validateEvent('CALL_AI_SUMMARY', JSON.parse(body))
 * if (result.success) result.data.summary.recap
 */
export const validateEvent = <Name extends EventName>(
  name: Name,
  value: unknown,
): Validation<WebhookEventOf<Name>> => {
  if (acceptsEvent(name, value)) return { success: true, data: value }
  const cleaned = removeProtoKeys(value)
  if (acceptsEvent(name, cleaned)) return { success: true, data: cleaned }
  return { success: false, issues: object({ event: oneOf(name), ...eventRules[name]() })(cleaned, '') }
}
