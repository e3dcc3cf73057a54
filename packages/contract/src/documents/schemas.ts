import { type EventName, eventNames } from '@wabakit/wire'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }
import { CreateGroupRequest, CreateGroupResponse } from '../create-group.ts'
import { emittedEventNames, emittedEventSchemas } from '../emitted-event.ts'
import { ErrorBody } from '../error-body.ts'
import { eventSchemas } from '../events.ts'
import { HealthEvent, HealthEventData } from '../health-event.ts'
import { Issue } from '../issue.ts'
import { CallSummary } from '../summary.ts'
import { UtcTimestamp } from '../timestamp.ts'
import { commonFields, descriptions } from './descriptions.ts'

export const createRef = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
})

export const describeJson = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})

export const publisher = {
  contact: { name: 'wabakit', url: manifest.homepage },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}

/** JSON object: a document or a part of it. @inline */
export type JsonObject = { readonly [name: string]: unknown }

/** Converts the name of an event to the name of its schema: CALL_ENDED to `CallEndedEvent`. */
export const toSchemaName = (event: EventName): string =>
  `${event.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const { event: _, ...summaryRecord } = emittedEventSchemas.CALL_AI_SUMMARY.shape

/** Schemas of the requests, responses and events of the reference server. */
export const sentSchemas: { readonly [name: string]: z.core.$ZodType } = {
  CreateGroupRequest,
  CreateGroupResponse,
  CallSummary,
  SummaryRecord: z.object(summaryRecord),
  Issue,
  ErrorBody,
  ...Object.fromEntries(emittedEventNames.map((name) => [toSchemaName(name), emittedEventSchemas[name]])),
}

/** Schemas of the events that receivers accept from any server. */
export const receivedSchemas: { readonly [name: string]: z.core.$ZodType } = Object.fromEntries(
  eventNames.map((name) => [`Received${toSchemaName(name)}`, eventSchemas[name]]),
)

/** Schemas of the webhooks for operational subscriptions. They are not part of the interface. */
export const operationalSchemas: { readonly [name: string]: z.core.$ZodType } = {
  HealthEvent,
  HealthEventData,
}

// SummaryRecord, as sent, has the fields of the event.
const findDescribedName = (name: string): string =>
  name === 'SummaryRecord' ? 'CallAiSummaryEvent' : name.replace(/^Received/, '')

const addDescriptions = (
  name: string,
  { properties = {}, ...schema }: z.core.JSONSchema.BaseSchema,
): JsonObject => {
  const { description } = descriptions[name.replace(/^Received/, '')] ?? {}
  const fields = { ...commonFields, ...descriptions[findDescribedName(name)]?.fields }
  const entries = Object.entries(properties).map(([field, property]) => [
    field,
    Object.assign({ description: fields[field] }, property),
  ])
  return { description, ...schema, properties: Object.fromEntries(entries) }
}

/**
 * Converts schemas to JSON Schema 2020-12, without `$schema`. References between them start with `location`, such as
 * `#/components/schemas`. All schemas allow unknown fields, because readers must accept fields that are added later.
 */
export const toJsonSchemas = (
  schemas: { readonly [name: string]: z.core.$ZodType },
  location: string,
): { readonly [name: string]: JsonObject } => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const converted = z.toJSONSchema(registry, {
    uri: (id) => `${location}/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.additionalProperties
      if (zodSchema === UtcTimestamp) jsonSchema.format = 'date-time'
    },
  })
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $schema, $id, ...schema }]) => [
      name,
      addDescriptions(name, schema),
    ]),
  )
}
