export { jsonSchemas } from './json-schemas.ts'
export type { JsonObject } from './schemas.ts'
