import { type JsonObject, sentSchemas, toJsonSchemas } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** The ways in which a request can carry its key. */
export const securitySchemes = {
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
    description: 'The Public API key, if the server is configured to read this header.',
  },
} as const

/** Describes the components that the paths and the webhooks reference. */
export const buildComponents = (): JsonObject => ({
  schemas: toJsonSchemas(sentSchemas, '#/components/schemas'),
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
