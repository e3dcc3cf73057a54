import type { JsonObject } from './schemas.ts'

/** References a component of the document. */
export const createRef = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
})

export const describeJson = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})
