import type { JsonObject } from './schemas.ts'

/** A reference to a component of the document. */
export const ref = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
})

/** A JSON body with its schema and examples. */
export const json = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})
