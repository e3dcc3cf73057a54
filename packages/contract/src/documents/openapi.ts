import type { EventName } from '@wabakit/wire'
import { descriptions } from './descriptions.ts'
import { eventExamples } from './examples.ts'
import {
  createRef,
  type DocumentedEvents,
  type JsonObject,
  listEvents,
  listSimulatedSchemas,
  publisher,
  sentSchemas,
  toJsonSchemas,
  toSchemaName,
} from './json-schemas.ts'
import { buildPaths, describeJson } from './openapi-paths.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** Options for {@link createOpenApiDocument}. @inline */
export type OpenApiOptions = DocumentedEvents & {
  /**
   * URL of the server. Endpoint paths are appended to it.
   * @default a server variable named `baseUrl`
   */
  readonly baseUrl?: string
  /**
   * Name of the header that carries the API key.
   * @default the headers that the reference server reads by default
   */
  readonly authHeader?: string | undefined
}

/** How a request can carry its key. */
const securitySchemes = {
  authorization: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The Public API key, without a prefix.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The Public API key as a bearer token.' },
  publicApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-public-api-key',
    description: 'The Public API key. If `Authorization` is sent as well, it must contain the same key.',
  },
} as const

/**
 * Lists the security schemes of a server that reads the key from this header. The header contains the key
 * itself; `Authorization` may also carry it as a bearer token.
 */
const listSchemes = (authHeader: string | undefined): JsonObject => {
  const { authorization, bearer, publicApiKey } = securitySchemes
  if (authHeader === undefined) return securitySchemes
  if (authHeader.toLowerCase() === 'authorization') return { authorization, bearer }
  return { publicApiKey: { ...publicApiKey, name: authHeader, description: 'The Public API key.' } }
}

const describeWebhook = (event: EventName): JsonObject => ({
  post: {
    operationId: `on${toSchemaName(event)}`,
    summary: event,
    description: descriptions[toSchemaName(event)],
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => createRef('parameters', name)),
    requestBody: {
      required: true,
      content: describeJson(createRef('schemas', toSchemaName(event)), {
        delivery: { value: eventExamples[event] },
      }),
    },
    responses: {
      '2XX': { description: 'Received. Send this response once the event is stored or handled.' },
      409: {
        description:
          'The event is being handled. With `Retry-After`, it is sent again at that time, at most 20 times within 15 minutes, and the attempt does not count as failed. Otherwise, the attempt has failed.',
        headers: { 'Retry-After': createRef('headers', 'Retry-After') },
      },
      410: { description: 'Gone. The subscription is disabled, and nothing more is sent to it.' },
      429: {
        description: 'Too many requests. The event is sent again, no earlier than `Retry-After` allows.',
      },
      503: {
        description:
          'Temporarily unavailable. The event is sent again, no earlier than `Retry-After` allows.',
      },
      default: {
        description:
          'Any other status, redirects included, is a failed attempt. The event is sent again later, with the same `webhook-id`.',
      },
    },
  },
})

/** Describes the components that the paths and the webhooks reference. */
const buildComponents = (events: DocumentedEvents): JsonObject => ({
  schemas: toJsonSchemas({ ...sentSchemas, ...listSimulatedSchemas(events) }, '#/components/schemas'),
  headers: {
    'x-request-id': {
      description: 'Identifies the request. Every response has it.',
      schema: { type: 'string' },
    },
    'Retry-After': {
      description: 'Number of seconds to wait before the next request.',
      schema: { type: 'integer', minimum: 0 },
    },
    'WWW-Authenticate': {
      description: 'The accepted authentication schemes (RFC 9110, section 11.6.1).',
      schema: { type: 'string' },
    },
    RateLimit: {
      description:
        'The remaining quota, and when it is reset (IETF draft "RateLimit header fields for HTTP"). Every response to a counted request has it.',
      schema: { type: 'string' },
    },
    'RateLimit-Policy': {
      description: 'The limits that apply (IETF draft "RateLimit header fields for HTTP").',
      schema: { type: 'string' },
    },
  },
  parameters: Object.fromEntries(
    Object.entries(webhookHeaders).map(([name, header]) => [name, { name, in: 'header', ...header }]),
  ),
})

/**
 * Creates the OpenAPI 3.1 document of the service: the two endpoints with all their responses, and the webhooks with
 * their Standard Webhooks headers. It is generated from the schemas of this package.
 *
 * @example
 * console.log(JSON.stringify(createOpenApiDocument({ baseUrl: 'https://api.example.com' }), null, 2))
 */
export const createOpenApiDocument = ({
  baseUrl,
  authHeader,
  ...events
}: OpenApiOptions = {}): JsonObject => ({
  openapi: '3.1.1',
  info: {
    title: 'WhatsApp groups and call summaries',
    version: '1.0.0',
    description:
      'Creates WhatsApp groups, sends webhooks about groups and calls, and returns AI summaries of calls. Webhooks also carry the static headers and the `authorization` header of their subscription, if it has any. Lengths are in Unicode code points. Clients and receivers must ignore unknown fields.',
    ...publisher,
  },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  servers: [
    baseUrl === undefined
      ? { url: '{baseUrl}', variables: { baseUrl: { default: 'https://api.example.com' } } }
      : { url: baseUrl },
  ],
  security: Object.keys(listSchemes(authHeader)).map((scheme) => ({ [scheme]: [] })),
  tags: [
    { name: 'Groups', description: 'Groups on WhatsApp Business numbers.' },
    { name: 'Calls', description: 'Summaries of calls.' },
  ],
  paths: buildPaths(),
  webhooks: Object.fromEntries(listEvents(events).map((event) => [event, describeWebhook(event)])),
  components: { ...buildComponents(events), securitySchemes: listSchemes(authHeader) },
})
