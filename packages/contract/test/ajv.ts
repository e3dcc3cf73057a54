import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Creates a validator of JSON Schema 2020-12 that checks formats and rejects unknown keywords. */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
  formats.default(ajv)
  return ajv
}
