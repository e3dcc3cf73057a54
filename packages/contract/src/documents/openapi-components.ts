import { drawSchemas, type JsonObject, sentSchemas } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

/** What the paths and the webhooks refer to. */
export const openApiComponents = (): JsonObject => ({
  schemas: drawSchemas(sentSchemas, '#/components/schemas'),
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
