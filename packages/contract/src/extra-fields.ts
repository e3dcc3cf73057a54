import { isEventName } from './event-name.ts'
import { eventSchemas, type WebhookEvent } from './webhook-event.ts'

/** What {@link extraFields} needs of a schema: the fields it names. */
export type SchemaWithShape = {
  /** The schemas of the fields, by name. */
  readonly shape: object
}

const shapeOf = (value: object): object =>
  'event' in value && isEventName(value.event) ? eventSchemas[value.event].shape : {}

/**
 * The fields of a parsed event that its type does not name: what a service added after this version was written.
 *
 * @returns the unknown fields, by name; empty when there are none.
 * @example
 * const { recordingLanguage } = extraFields(event)
 */
export function extraFields(value: WebhookEvent): Record<string, unknown>
/**
 * The fields of any parsed object that its type does not name.
 *
 * @param schema - the schema the value was parsed with.
 * @returns the unknown fields, by name; empty when there are none.
 * @example
 * const { wabaNumber } = extraFields(response, CreateGroupResponse)
 */
export function extraFields(value: object, schema: SchemaWithShape): Record<string, unknown>
export function extraFields(value: object, schema?: SchemaWithShape): Record<string, unknown> {
  const shape = schema?.shape ?? shapeOf(value)
  return Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(shape, name)))
}
