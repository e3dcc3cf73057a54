import { acceptsFields, isObject } from './accepts-event.ts'
import { parse } from './rule.ts'
import { eventRules } from './rules.ts'
import type { Validation } from './validate.ts'
import type { EventName, WebhookEventOf } from './webhook-event.ts'

/** Checks whether a value is the event with this name, exactly as its schema would return it. */
export const acceptsEvent = <Name extends EventName>(
  name: Name,
  value: unknown,
): value is WebhookEventOf<Name> => isObject(value) && value.event === name && acceptsFields[name](value)

/**
 * Validates an event, several times faster than its schema does. A valid value is returned itself. It is copied only to
 * leave out keys named `__proto__`, and fields of unexpected types that the contract does not guarantee.
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
  return parse<WebhookEventOf<Name>>(eventRules[name](), value)
}
