import * as z from 'zod/mini'
import { controlErrorCodes } from './control-error.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations/index.ts'
import { schemaNames } from './schema-names.ts'
import { identifierFacts } from './texts.ts'

type Json = { readonly [name: string]: unknown }

const place = '#/components/schemas'

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Says in JSON Schema's own way that unknown fields are allowed, and that a number is whole. */
const tidy = ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  if (isEmptyObject(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties
  if (jsonSchema.multipleOf === 1) {
    delete jsonSchema.multipleOf
    jsonSchema.type = 'integer'
  }
}

const componentSchemas = (): Json => {
  const { schemas } = z.toJSONSchema(schemaNames, {
    uri: (id) => `${place}/${id}`,
    io: 'input',
    override: tidy,
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, id: ___, ...schema }]) => [name, schema]),
  )
}

const reference = (schema: z.core.$ZodType): Json => {
  const name = schemaNames.get(schema)?.id
  if (name === undefined) throw new TypeError('A schema of the control API has no name.')
  return { $ref: `${place}/${name}` }
}

const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } })

const pathParameters = ({ path }: Operation): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    // Groups have ids of the public API.
    schema: { type: 'string', ...(name !== 'groupId' && identifierFacts) },
  }))

const queryParameters = ({ query }: Operation): Json[] => {
  if (query === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', override: tidy })
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

const errors = { default: { $ref: '#/components/responses/Error' } }

const describe = (operation: Operation): Json => {
  const { id, summary, tag, body, result, status } = operation
  const parameters = [...pathParameters(operation), ...queryParameters(operation)]
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, ...content(reference(body)) } }),
    responses: {
      [status]: { description: 'Done.', ...(result !== undefined && content(reference(result))) },
      ...errors,
    },
  }
}

const streamPath = {
  get: {
    operationId: 'streamEvents',
    summary: 'What happens, as server-sent events: `event` (resumable by its id) and `attempt`',
    tags: ['Events'],
    parameters: [
      { name: 'organizationId', in: 'path', required: true, schema: { type: 'string', ...identifierFacts } },
      {
        name: 'after',
        in: 'query',
        description:
          'Begin right after the event of this id; empty: with the oldest. From now on when omitted.',
        schema: { type: 'string' },
      },
      {
        name: 'last-event-id',
        in: 'header',
        description: 'Like `after`, and stronger: what an event source sends when it connects again.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
      ...errors,
    },
  },
}

const errorSchema = {
  type: 'object',
  description: 'What every answer that is not a success carries.',
  required: ['statusCode', 'error', 'message', 'code'],
  properties: {
    statusCode: { type: 'integer' },
    error: { type: 'string' },
    message: { type: 'string' },
    code: {
      type: 'string',
      description: `One of ${Object.keys(controlErrorCodes).join(', ')}; what the public API would refuse has its codes.`,
    },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const paths = (): Json => {
  const described: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    described[path] = { ...described[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return { ...described, '/organizations/{organizationId}/stream': streamPath }
}

/** The OpenAPI 3.1 document of the control API, made of the schemas that check its requests. */
export const controlOpenApi = (version: string): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'wabakit control API',
    version,
    description:
      'Organizations, keys, numbers and webhook subscriptions of a wabakit server; simulated calls and participants; what happened, what was delivered, and sending it again.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/_wabakit' }],
  security: [{ token: [] }, {}],
  paths: paths(),
  components: {
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description: 'The `controlToken` of the server, when it has one.',
      },
    },
    responses: { Error: { description: 'It was refused.', ...content({ $ref: `${place}/Error` }) } },
    schemas: { ...componentSchemas(), Error: errorSchema },
  },
})
