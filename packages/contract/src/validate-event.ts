import type * as z from 'zod/mini'
import { acceptsEvent } from './accepts-event.ts'
import { type Validation, validate } from './validate.ts'
import { type EventName, eventSchemas, type WebhookEventOf } from './webhook-event.ts'

// The same object, in a type by which TypeScript sees that the schema and the event of a name belong together.
const schemas: { readonly [Name in EventName]: z.core.$ZodType<WebhookEventOf<Name>> } = eventSchemas

/**
 * Holds a value against the schema of an event, and says in sentences what does not fit. A value that fits is
 * returned itself, not a copy, in a fraction of the time that the schema takes.
 *
 * @param name - the event's name.
 * @param value - what came from outside.
 * @example
 * const result = validateEvent('CALL_AI_SUMMARY', JSON.parse(body))
 * if (result.success) result.data.summary.recap
 */
export const validateEvent = <Name extends EventName>(
  name: Name,
  value: unknown,
): Validation<WebhookEventOf<Name>> => {
  const accepts: (value: unknown) => value is WebhookEventOf<Name> = acceptsEvent[name]
  return accepts(value) ? { success: true, data: value } : validate(schemas[name], value)
}
