import * as z from 'zod/mini'
import { CallSummary } from '../call-ai-summary-event.ts'
import { CreateGroupRequest, CreateGroupResponse } from '../create-group.ts'
import { emittedEventNames, emittedEventSchemas } from '../emitted-event.ts'
import { ErrorBody } from '../error-body.ts'
import { eventNames } from '../event-name.ts'
import { Issue } from '../issue.ts'
import { UtcTimestamp } from '../timestamp.ts'
import { type EventName, eventSchemas } from '../webhook-event.ts'
import { descriptions } from './descriptions.ts'

/** A JSON object: a document, or a schema in it. */
export type JsonObject = { readonly [name: string]: unknown }

/** The name of an event's schema in the documents: `CallEndedEvent` for CALL_ENDED. */
export const schemaNameOf = (event: EventName): string =>
  `${event.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const { event: _, ...summaryRecord } = emittedEventSchemas.CALL_AI_SUMMARY.shape

/** What the reference server reads and sends, by the name of the schema. */
export const sentSchemas: { readonly [name: string]: z.core.$ZodType } = {
  CreateGroupRequest,
  CreateGroupResponse,
  CallSummary,
  SummaryRecord: z.object(summaryRecord),
  Issue,
  ErrorBody,
  ...Object.fromEntries(emittedEventNames.map((name) => [schemaNameOf(name), emittedEventSchemas[name]])),
}

/** What a receiver accepts as an event from any server of this interface, by the name of the schema. */
export const receivedSchemas: { readonly [name: string]: z.core.$ZodType } = Object.fromEntries(
  eventNames.map((name) => [`Received${schemaNameOf(name)}`, eventSchemas[name]]),
)

/** Where the doc comments of a schema are: a record has the fields of its event. */
const describedAs = (name: string): string =>
  name === 'SummaryRecord' ? 'CallAiSummaryEvent' : name.replace(/^Received/, '')

const described = (
  name: string,
  { properties = {}, ...schema }: z.core.JSONSchema.BaseSchema,
): JsonObject => {
  const { description } = descriptions[name.replace(/^Received/, '')] ?? {}
  const { fields = {} } = descriptions[describedAs(name)] ?? {}
  const entries = Object.entries(properties).map(([field, property]) => [
    field,
    Object.assign({ description: fields[field] }, property),
  ])
  return { description, ...schema, properties: Object.fromEntries(entries) }
}

/**
 * JSON Schemas (2020-12, without `$schema`) of some schemas, which refer to each other at `place`, such as
 * `#/components/schemas`. Unknown fields are allowed everywhere: a reader must survive what is added later.
 */
export const drawSchemas = (
  schemas: { readonly [name: string]: z.core.$ZodType },
  place: string,
): { readonly [name: string]: JsonObject } => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const drawn = z.toJSONSchema(registry, {
    uri: (id) => `${place}/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.additionalProperties
      if (zodSchema === UtcTimestamp) jsonSchema.format = 'date-time'
    },
  })
  return Object.fromEntries(
    Object.entries(drawn.schemas).map(([name, { $schema, $id, ...schema }]) => [
      name,
      described(name, schema),
    ]),
  )
}
