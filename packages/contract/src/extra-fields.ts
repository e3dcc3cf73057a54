import { eventSchemas, isEventName, type WebhookEvent } from './webhook-event.ts'

/** What {@link extraFields} needs of a schema: the fields it names. */
export type SchemaWithShape = { readonly shape: object }

const shapeOf = (value: object): object =>
  'event' in value && isEventName(value.event) ? eventSchemas[value.event].shape : {}

/**
 * The fields of a parsed value that its type does not name: what a service added after this version was written.
 *
 * @param value - a parsed event; or any parsed object, together with its schema.
 * @param schema - the schema the value was parsed with; for an event, found by its name.
 * @returns the unknown fields, by name; empty when there are none.
 * @example
 * const { recordingLanguage } = extraFields(event)
 * const { wabaNumber } = extraFields(response, CreateGroupResponse)
 */
export function extraFields(value: WebhookEvent): Record<string, unknown>
export function extraFields(value: object, schema: SchemaWithShape): Record<string, unknown>
export function extraFields(value: object, schema?: SchemaWithShape): Record<string, unknown> {
  const shape = schema?.shape ?? shapeOf(value)
  return Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(shape, name)))
}
