import { type EmittedEventName, emittedEventNames } from '../emitted-event.ts'
import { type EndpointName, endpoints } from '../endpoints.ts'
import { type ErrorCode, errorCodes } from '../error-codes.ts'
import { reasonPhrases } from '../reason-phrases.ts'
import { descriptions } from './descriptions.ts'
import { endpointErrors, errorExample, explain } from './errors.ts'
import { createGroupRequestExample, createGroupResponseExample, emittedExamples } from './examples.ts'
import { drawSchemas, type JsonObject, schemaNameOf, sentSchemas } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** Options of {@link openApiDocument}. */
export type OpenApiOptions = {
  /**
   * Where the server is; the paths of the endpoints are appended.
   * @default 'https://api.example.com', as a variable
   */
  readonly baseUrl?: string
}

const place = '#/components/schemas'

const ref = (section: string, name: string): JsonObject => ({ $ref: `#/components/${section}/${name}` })

const json = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})

const requestId = { 'x-request-id': ref('headers', 'x-request-id') }

/** The headers that answers of a status carry besides `x-request-id`. */
const headersByStatus: { readonly [status: number]: JsonObject } = {
  202: { 'Retry-After': ref('headers', 'Retry-After') },
  401: { 'WWW-Authenticate': ref('headers', 'WWW-Authenticate') },
  429: {
    'Retry-After': ref('headers', 'Retry-After'),
    RateLimit: ref('headers', 'RateLimit'),
    'RateLimit-Policy': ref('headers', 'RateLimit-Policy'),
  },
  503: { 'Retry-After': ref('headers', 'Retry-After') },
}

const success = (description: string, schema: string, value: JsonObject): JsonObject => ({
  200: { description, headers: requestId, content: json(ref('schemas', schema), { success: { value } }) },
})

const failure = (status: (typeof errorCodes)[ErrorCode], codes: readonly ErrorCode[]): JsonObject => ({
  description: [
    `${reasonPhrases[status]}.`,
    ...codes.map((code) => `- \`${code}\`: ${explain(code).meaning} ${explain(code).remedy}`),
  ].join('\n'),
  headers: { ...requestId, ...headersByStatus[status] },
  content: json(
    { type: 'object', allOf: [ref('schemas', 'ErrorBody')], properties: { code: { enum: codes } } },
    Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
  ),
})

const failures = (endpoint: EndpointName): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(endpointErrors[endpoint], (code) => errorCodes[code])].map(([status, codes]) => [
      status,
      failure(status, codes),
    ]),
  )

const { event: _, ...summaryRecordExample } = emittedExamples.CALL_AI_SUMMARY

const operations: { readonly [Name in EndpointName]: JsonObject } = {
  'groups.create': {
    operationId: 'createGroup',
    summary: 'Create a WhatsApp group',
    description:
      'Creates a group on a WABA number. A GROUP_CREATED webhook follows. The `groupId` of the response is the key that joins it to the webhooks of the group. A request that names a `groupId` can be repeated safely: the same request again has the same response, and creates nothing.',
    requestBody: {
      required: true,
      description: 'At most 64 KiB of JSON in UTF-8.',
      content: json(ref('schemas', 'CreateGroupRequest'), { request: { value: createGroupRequestExample } }),
    },
    responses: {
      ...success('The group was created.', 'CreateGroupResponse', createGroupResponseExample),
      ...failures('groups.create'),
    },
  },
  'calls.getSummary': {
    operationId: 'getCallSummary',
    summary: 'Fetch the AI summary of a call',
    description: 'Answers at any time after the summary exists.',
    parameters: [
      {
        name: 'callId',
        in: 'query',
        required: true,
        description: 'The `callId` of the webhooks of the call.',
        schema: { type: 'string', minLength: 1 },
        example: emittedExamples.CALL_AI_SUMMARY.callId,
      },
    ],
    responses: {
      ...success('The summary, with the facts of its call.', 'SummaryRecord', summaryRecordExample),
      ...failures('calls.getSummary'),
    },
  },
}

const pathOf = (name: EndpointName): [string, JsonObject] => {
  const { method, path } = endpoints[name]
  return [path, { [method.toLowerCase()]: operations[name] }]
}

const webhook = (event: EmittedEventName): JsonObject => ({
  post: {
    operationId: `on${schemaNameOf(event)}`,
    summary: event,
    description: descriptions[schemaNameOf(event)]?.description,
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ref('parameters', name)),
    requestBody: {
      required: true,
      content: json(ref('schemas', schemaNameOf(event)), { delivery: { value: emittedExamples[event] } }),
    },
    responses: {
      '2XX': { description: 'Received. Answer it once the delivery is safe with you.' },
      410: { description: 'Gone: the subscription is disabled, and nothing further is sent.' },
      429: { description: 'Too many: sent again later, not before `Retry-After`.' },
      503: { description: 'Not now: sent again later, not before `Retry-After`.' },
      default: {
        description: 'Failed, as is a redirect: sent again later, several times, with the same `webhook-id`.',
      },
    },
  },
})

const components = (): JsonObject => ({
  schemas: drawSchemas(sentSchemas, place),
  securitySchemes: {
    authorization: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The Public API key as it is.',
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'The Public API key as a bearer token.' },
    publicApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'x-public-api-key',
      description: 'The Public API key, where the server is set up to read this header.',
    },
  },
  headers: {
    'x-request-id': { description: 'Identifies the request; on every response.', schema: { type: 'string' } },
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
    'WWW-Authenticate': { description: 'How to authenticate (RFC 9110).', schema: { type: 'string' } },
    RateLimit: {
      description: 'What is left of the limit, and when it is reset (IETF draft of RateLimit header fields).',
      schema: { type: 'string' },
    },
    'RateLimit-Policy': {
      description: 'The limits that apply (IETF draft of RateLimit header fields).',
      schema: { type: 'string' },
    },
  },
  parameters: Object.fromEntries(
    Object.entries(webhookHeaders).map(([name, header]) => [
      name,
      { name, in: 'header', required: true, ...header },
    ]),
  ),
})

/**
 * The OpenAPI 3.1 document of the interface: the two endpoints with all their answers, and the nine webhooks with
 * their Standard Webhooks headers. Made from the schemas, so that it says what the reference server enforces.
 *
 * @example
 * console.log(JSON.stringify(openApiDocument({ baseUrl: 'https://api.example.com' }), null, 2))
 */
export const openApiDocument = ({ baseUrl }: OpenApiOptions = {}): JsonObject => ({
  openapi: '3.1.1',
  info: {
    title: 'WhatsApp groups and call summaries',
    version: '1.0.0',
    description:
      'Creates WhatsApp groups, tells by webhook what happens to them and to calls, and hands out the AI summaries of calls. Lengths count Unicode code points. Readers ignore fields that they do not know.',
  },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  servers: [
    baseUrl === undefined
      ? { url: '{baseUrl}', variables: { baseUrl: { default: 'https://api.example.com' } } }
      : { url: baseUrl },
  ],
  security: [{ authorization: [] }, { bearer: [] }, { publicApiKey: [] }],
  paths: Object.fromEntries([pathOf('groups.create'), pathOf('calls.getSummary')]),
  webhooks: Object.fromEntries(emittedEventNames.map((event) => [event, webhook(event)])),
  components: components(),
})
