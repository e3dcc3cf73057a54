import {
  type JsonObject,
  operationalSchemas,
  receivedSchemas,
  sentSchemas,
  toJsonSchemas,
} from './schemas.ts'

const location = '#/$defs'

/**
 * Creates self-contained JSON Schemas (draft 2020-12) for all requests, responses and events, by name.
 *
 * `CreateGroupRequest`, `CreateGroupResponse`, `SummaryRecord`, `ErrorBody` and one schema per event, such as
 * `CallEndedEvent`, describe what the reference server accepts and sends. `ReceivedCallEndedEvent` and the others with
 * this prefix describe what a receiver should accept from any server. `HealthEvent` describes the webhooks for
 * operational subscriptions. One rule is missing, because JSON Schema cannot express it: `from` equals `channelNumber`,
 * and `to` equals `customerNumber`.
 *
 * @example
 * const { CreateGroupRequest } = createJsonSchemas()
 * new Ajv2020().compile(CreateGroupRequest)
 */
export const createJsonSchemas = (): { readonly [name: string]: JsonObject } => {
  const schemas = toJsonSchemas({ ...sentSchemas, ...receivedSchemas, ...operationalSchemas }, location)
  const makeSelfContained = ([name, schema]: [string, JsonObject]): [string, JsonObject] => {
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
  return Object.fromEntries(Object.entries(schemas).map(makeSelfContained))
}
