import { drawSchemas, type JsonObject, receivedSchemas, sentSchemas } from './schemas.ts'

const place = '#/$defs'

/**
 * JSON Schemas (draft 2020-12) of everything that is said on the wire, by name; each can stand alone.
 *
 * `CreateGroupRequest`, `CreateGroupResponse`, `SummaryRecord`, `ErrorBody` and one schema per event, such as
 * `CallEndedEvent`, are what the reference server reads and sends. `ReceivedCallEndedEvent` and its like are what a
 * receiver should accept as that event from any server of this interface. Lengths count Unicode code points. That
 * `from` equals `channelNumber` and `to` equals `customerNumber` is beyond what JSON Schema can say.
 *
 * @example
 * const { CreateGroupRequest } = jsonSchemas()
 * new Ajv2020().compile(CreateGroupRequest)
 */
export const jsonSchemas = (): { readonly [name: string]: JsonObject } => {
  const schemas = drawSchemas({ ...sentSchemas, ...receivedSchemas }, place)
  const standAlone = ([name, schema]: [string, JsonObject]): [string, JsonObject] => {
    const parts = [...JSON.stringify(schema).matchAll(/#\/\$defs\/(\w+)/g)].map(([, part = '']) => part)
    const $defs = Object.fromEntries(parts.map((part) => [part, schemas[part]]))
    return [
      name,
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: name,
        ...schema,
        ...(parts.length > 0 && { $defs }),
      },
    ]
  }
  return Object.fromEntries(Object.entries(schemas).map(standAlone))
}
