import { openApiComponents } from './openapi-components.ts'
import { openApiPaths } from './openapi-paths.ts'
import { openApiWebhooks } from './openapi-webhooks.ts'
import type { JsonObject } from './schemas.ts'

/** Options of {@link openApiDocument}. */
export type OpenApiOptions = {
  /**
   * Where the server is; the paths of the endpoints are appended.
   * @default 'https://api.example.com', as a variable
   */
  readonly baseUrl?: string
}

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
  paths: openApiPaths(),
  webhooks: openApiWebhooks(),
  components: openApiComponents(),
})
