export { createAsyncApiDocument } from './asyncapi.ts'
export { eventExamples } from './examples.ts'
export { createJsonSchemas } from './json-schemas.ts'
export { createOpenApiDocument } from './openapi.ts'
