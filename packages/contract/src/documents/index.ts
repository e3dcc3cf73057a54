export { asyncApiDocument } from './asyncapi.ts'
export { jsonSchemas } from './json-schemas.ts'
export { type OpenApiOptions, openApiDocument } from './openapi.ts'
export type { JsonObject } from './schemas.ts'
