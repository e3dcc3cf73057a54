import { buildComponents, securitySchemes } from './openapi-components.ts'
import { buildPaths } from './openapi-paths.ts'
import { buildWebhooks } from './openapi-webhooks.ts'
import type { JsonObject } from './schemas.ts'
import { publisher } from './schemas.ts'

/** Options for {@link createOpenApiDocument}. @inline */
export type OpenApiOptions = {
  /**
   * URL of the server, to which the paths of the endpoints are appended.
   * @default a server variable named `baseUrl`
   */
  readonly baseUrl?: string
  /**
   * Name of the header that carries the API key.
   * @default the headers that servers can be configured to read
   */
  readonly authHeader?: string
}

/**
 * Lists the security schemes of a server that reads the key from this header: as it is, or in `Authorization` also as a
 * bearer token.
 */
const listSchemes = (authHeader: string | undefined): JsonObject => {
  const { authorization, bearer, publicApiKey } = securitySchemes
  if (authHeader === undefined) return securitySchemes
  if (authHeader.toLowerCase() === 'authorization') return { authorization, bearer }
  return { publicApiKey: { ...publicApiKey, name: authHeader, description: 'The Public API key.' } }
}

/**
 * Creates the OpenAPI 3.1 document of the service: the two endpoints with all their responses, and the nine webhooks with
 * their Standard Webhooks headers. It is generated from the schemas that the reference server enforces.
 *
 * @example
 * console.log(JSON.stringify(createOpenApiDocument({ baseUrl: 'https://api.example.com' }), null, 2))
 */
export const createOpenApiDocument = ({ baseUrl, authHeader }: OpenApiOptions = {}): JsonObject => ({
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
  webhooks: buildWebhooks(),
  components: { ...buildComponents(), securitySchemes: listSchemes(authHeader) },
})
