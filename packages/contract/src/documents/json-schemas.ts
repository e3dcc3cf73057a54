import { type EventName, eventNames } from '@wabakit/wire'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }
import { CreateGroupRequest, CreateGroupResponse } from '../create-group.ts'
import { ErrorBody } from '../error-body.ts'
import { eventSchemas } from '../events.ts'
import { HealthEvent, HealthEventData } from '../health-event.ts'
import { Issue } from '../issue.ts'
import { MeasuredProfile } from '../profile/measured-profile.ts'
import { isPublishedEventName, publishedEventNames, publishedEventSchemas } from '../published-event.ts'
import { CallSummary } from '../summary.ts'
import { UtcTimestamp } from '../text.ts'
import { descriptions } from './descriptions.ts'

export const createRef = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
})

export const publisher = {
  contact: { name: 'wabakit', url: manifest.homepage },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}

/** JSON object: a document or a part of it. @inline */
export type JsonObject = { readonly [name: string]: unknown }

type Schemas = { readonly [name: string]: z.core.$ZodType }

/** Converts the name of an event to the name of its schema: CALL_ENDED to `CallEndedEvent`. */
export const toSchemaName = (event: EventName): string =>
  `${event.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const { event: _, ...summaryRecord } = publishedEventSchemas.CALL_AI_SUMMARY.shape

/** Schemas of the events of the reference server. */
export const sentEventSchemas: Schemas = Object.fromEntries(
  publishedEventNames.map((name) => [toSchemaName(name), publishedEventSchemas[name]]),
)

/** The events that a document describes. @inline */
export type DocumentedEvents = {
  /**
   * Also describes the events that the reference server sends only in simulations and as test events.
   * @default false
   */
  readonly simulated?: boolean | undefined
}

export const listEvents = ({ simulated = false }: DocumentedEvents): readonly EventName[] =>
  simulated ? eventNames : publishedEventNames

/** Schemas of the events that the reference server sends only in simulations and as test events. */
export const listSimulatedSchemas = ({ simulated = false }: DocumentedEvents): Schemas =>
  Object.fromEntries(
    eventNames
      .filter((name) => simulated && !isPublishedEventName(name))
      .map((name) => [toSchemaName(name), eventSchemas[name]]),
  )

/** Schemas of the requests, responses and events of the reference server. */
export const sentSchemas: Schemas = {
  CreateGroupRequest,
  CreateGroupResponse,
  CallSummary,
  SummaryRecord: z.object(summaryRecord),
  Issue,
  ErrorBody,
  ...sentEventSchemas,
}

/** Schemas of the events that receivers accept from any server. */
export const receivedSchemas: Schemas = Object.fromEntries(
  eventNames.map((name) => [`Received${toSchemaName(name)}`, eventSchemas[name]]),
)

/** Schemas of the webhooks for operational subscriptions. They are not part of the vendor's interface. */
export const operationalSchemas: Schemas = { HealthEvent, HealthEventData }

const addDescriptions = (
  name: string,
  { properties = {}, ...schema }: z.core.JSONSchema.BaseSchema,
): JsonObject => {
  const described = name.replace(/^Received/, '')
  // The fields of a SummaryRecord are fields of the event, and have the same descriptions.
  const owner = name === 'SummaryRecord' ? 'CallAiSummaryEvent' : described
  const entries = Object.entries(properties).map(([field, property]) => {
    const description = descriptions[`${owner}.${field}`] ?? descriptions[`*.${field}`]
    return [field, Object.assign({ description }, property)]
  })
  return { description: descriptions[described], ...schema, properties: Object.fromEntries(entries) }
}

/**
 * Converts schemas to JSON Schema 2020-12, without `$schema`. References between them start with `location`, such as
 * `#/components/schemas`. All schemas allow unknown fields, because readers must accept fields that are added later.
 */
export const toJsonSchemas = (
  schemas: Schemas,
  location: string,
): { readonly [name: string]: JsonObject } => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const converted = z.toJSONSchema(registry, {
    uri: (id) => `${location}/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      // The additional properties of a record are its content.
      if (jsonSchema.propertyNames === undefined) delete jsonSchema.additionalProperties
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

/**
 * Creates self-contained JSON Schemas (draft 2020-12) for all requests, responses and events, by name.
 *
 * `CreateGroupRequest`, `CreateGroupResponse`, `SummaryRecord`, `ErrorBody` and one schema for each event of the specification,
 * such as `CallEndedEvent`, describe what the reference server accepts and sends. Schemas with the prefix `Received`,
 * such as `ReceivedCallEndedEvent`, describe what a receiver should accept from any server. `HealthEvent`
 * describes the webhooks for operational subscriptions, and `MeasuredProfile` the file `wabakit.profile.json`. One rule is missing, because JSON Schema cannot
 * express it: `from` equals `channelNumber`, and `to` equals `customerNumber`.
 *
 * @example
 * const { CreateGroupRequest } = createJsonSchemas()
 * new Ajv2020().compile(CreateGroupRequest)
 */
export const createJsonSchemas = (): { readonly [name: string]: JsonObject } => {
  const schemas = toJsonSchemas(
    { ...sentSchemas, ...receivedSchemas, ...operationalSchemas, MeasuredProfile },
    '#/$defs',
  )
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
