import { reasonPhrases } from '@wabakit/contract'
import * as z from 'zod/mini'
import manifest from '../../package.json' with { type: 'json' }
import { controlErrorCodes } from '../hosting/control-error.ts'
import { identifierFacts } from '../values/input-schemas.ts'
import type { Operation } from './operation.ts'
import { tags } from './operation.ts'
import { schemaNames } from './schemas.ts'

type Json = { readonly [name: string]: unknown }

const schemaPath = '#/components/schemas'

/** Removes JSON Schema keywords for unknown fields and `readonly` arrays, and describes integers by their type. */
const normalize = ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  const { additionalProperties } = jsonSchema
  delete jsonSchema.readOnly
  if (additionalProperties && Object.keys(additionalProperties).length === 0)
    delete jsonSchema.additionalProperties
  if (jsonSchema.multipleOf === 1) {
    delete jsonSchema.multipleOf
    jsonSchema.type = 'integer'
  }
}

/** Lists the names of the schemas that a part of the document refers to. */
const listReferences = (part: unknown): string[] =>
  Array.from(JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name)

/** Builds the schemas that the paths refer to, and those that these refer to. */
const buildSchemas = (paths: Json): Json => {
  const { schemas } = z.toJSONSchema(schemaNames, {
    uri: (id) => `${schemaPath}/${id}`,
    io: 'input',
    override: normalize,
  })
  const used = new Set(listReferences(paths))
  // Also visits the names that are added on the way.
  for (const name of used) for (const each of listReferences(schemas[name] ?? {})) used.add(each)
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => used.has(name))
      .map(([name, { $schema: _, $id: __, id: ___, ...schema }]) => [name, schema]),
  )
}

const toContent = (name: string | undefined): Json => {
  if (name === undefined) throw new TypeError('A schema of the control API has no name.')
  return { content: { 'application/json': { schema: { $ref: `${schemaPath}/${name}` } } } }
}

const describeContent = (schema: z.core.$ZodType): Json => toContent(schemaNames.get(schema)?.id)

const buildPathParameters = ({ path }: Operation): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    // Clients choose the ids of groups, so these need not be identifiers.
    schema: { type: 'string', ...(name !== 'groupId' && identifierFacts) },
  }))

const buildQueryParameters = ({ query }: Operation): Json[] => {
  if (query === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', override: normalize })
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** The error statuses that operations share. All other errors are under `default`. */
const commonErrors = [400, 401, 403, 404, 413, 415] as const
type CommonError = (typeof commonErrors)[number]

/** Returns the name of a response in the document, such as `BadRequest`. */
const nameResponse = (status: CommonError): string => reasonPhrases[status].replaceAll(' ', '')

const describeErrors = (statuses: readonly CommonError[]): Json => ({
  ...Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${nameResponse(status)}` }]),
  ),
  default: { $ref: '#/components/responses/Error' },
})

const describeOperationErrors = ({ path, query, body }: Operation): Json => {
  const hasParameter = path.includes(':')
  const hasInput = hasParameter || query !== undefined || body !== undefined
  return describeErrors([
    ...(hasInput ? ([400] as const) : []),
    ...([401, 403] as const),
    ...(hasParameter ? ([404] as const) : []),
    ...(body === undefined ? [] : ([413, 415] as const)),
  ])
}

const describeOperation = (operation: Operation): Json => {
  const { id, summary, tag, body, result, status } = operation
  const parameters = [...buildPathParameters(operation), ...buildQueryParameters(operation)]
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, ...describeContent(body) } }),
    responses: {
      [status]: { description: 'Success.', ...(result !== undefined && describeContent(result)) },
      ...describeOperationErrors(operation),
    },
  }
}

const streamPath = {
  get: {
    operationId: 'streamEvents',
    summary: 'Stream events and attempts as server-sent events',
    tags: ['Events'],
    parameters: [
      { name: 'organizationId', in: 'path', required: true, schema: { type: 'string', ...identifierFacts } },
      {
        name: 'after',
        in: 'query',
        description:
          'The id of the event to start after. Empty: starts with the oldest event. Omitted: new events only.',
        schema: { type: 'string' },
      },
      {
        name: 'last-event-id',
        in: 'header',
        description: 'Takes precedence over `after`. Event sources send it when they reconnect.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: {
        description: '`event` messages, which have the ids of their events, and `attempt` messages.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...describeErrors([400, 401, 403, 404]),
    },
  },
}

const errorSchema = {
  type: 'object',
  description: 'The body of every response that is not a success.',
  required: ['statusCode', 'error', 'message', 'code'],
  properties: {
    statusCode: { type: 'integer' },
    error: { type: 'string' },
    message: { type: 'string' },
    code: {
      type: 'string',
      description: `One of ${Object.keys(controlErrorCodes).join(', ')}, or a code of the public API for errors that it has, too.`,
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

const buildErrors = (): Json => {
  const content = toContent('Error')
  const common = commonErrors.map((status) => {
    const codes = Object.entries(controlErrorCodes).flatMap(([code, each]) =>
      each === status ? `\`${code}\`` : [],
    )
    return [nameResponse(status), { description: `The request failed: ${codes.join(' or ')}.`, ...content }]
  })
  return { ...Object.fromEntries(common), Error: { description: 'The request failed.', ...content } }
}

const buildPaths = (operations: readonly Operation[]): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation) }
  }
  return { ...paths, '/organizations/{organizationId}/stream': streamPath }
}

/** Describes the control API of a host that has these operations. */
export const createControlOpenApi = (version: string, operations: readonly Operation[]): Json => {
  const paths = buildPaths(operations)
  const isUsed = (tag: string): boolean => operations.some((operation) => operation.tag === tag)
  return {
    openapi: '3.1.0',
    info: {
      title: 'wabakit control API',
      version,
      description:
        'Manages the organizations, API keys, numbers and webhook subscriptions of a wabakit server, simulates calls and participants, lists events, deliveries and attempts, and resends deliveries.',
      contact: { name: 'wabakit', url: manifest.homepage },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/_wabakit' }],
    tags: Object.entries(tags)
      .filter(([name]) => isUsed(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `controlToken` of the server, if it has one.',
        },
      },
      responses: buildErrors(),
      schemas: { ...buildSchemas(paths), Error: errorSchema },
    },
  }
}
