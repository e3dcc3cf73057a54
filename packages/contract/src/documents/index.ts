export { createAsyncApiDocument } from './asyncapi.ts'
export { eventExamples } from './examples.ts'
export { createJsonSchemas, toSchemaName } from './json-schemas.ts'
export { createOpenApiDocument } from './openapi.ts'
