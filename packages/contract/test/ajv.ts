import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A validator of JSON Schema 2020-12 that knows formats, and complains about keywords that it does not know. */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
  formats.default(ajv)
  return ajv
}
