import { isEventName, type WebhookEvent } from '@wabakit/wire'
import { eventSchemas } from './events.ts'

const findShape = (value: object): object =>
  'event' in value && isEventName(value.event) ? eventSchemas[value.event].shape : {}

/**
 * Returns the fields of a parsed event that are not in its type, such as fields that a service has added.
 *
 * @returns the unknown fields by name, or an empty object.
 * @example
 * const { recordingLanguage } = extraFields(event)
 */
export function extraFields(value: WebhookEvent): Record<string, unknown>
/**
 * Returns the fields of a parsed object that are not in its schema.
 *
 * @param schema - the schema that parsed the value.
 * @returns the unknown fields by name, or an empty object.
 * @example
 * const { wabaNumber } = extraFields(response, CreateGroupResponse)
 */
export function extraFields(value: object, schema: { readonly shape: object }): Record<string, unknown>
export function extraFields(value: object, schema?: { readonly shape: object }): Record<string, unknown> {
  const shape = schema?.shape ?? findShape(value)
  return Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(shape, name)))
}
