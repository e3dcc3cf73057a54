import { createControlOpenApi, operations } from '@wabakit/core/control'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Json = { readonly [name: string]: unknown }
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

const document = createControlOpenApi('0.0.0', operations)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ ...document, $id: 'control' })

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((each: unknown, name) => (isJson(each) ? each[name] : undefined), value)

const toPointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const findTemplate = (path: string): string | undefined => {
  const parts = path.split('?', 1)[0]?.split('/') ?? []
  return Object.keys(isJson(document.paths) ? document.paths : {})
    .filter((template) => {
      const expected = template.split('/')
      return (
        expected.length === parts.length &&
        expected.every((part, index) => part.startsWith('{') || part === parts[index])
      )
    })
    .sort((left, right) => left.split('{').length - right.split('{').length)[0]
}

/**
 * Returns how a response deviates from the OpenAPI document, or `undefined` if it conforms. `path` is relative to
 * `/_wabakit`.
 */
export const deviation = (
  { method, path }: { readonly method: string; readonly path: string },
  { status, body }: { readonly status: number; readonly body: unknown },
): string | undefined => {
  const template = findTemplate(path)
  if (template === undefined) return status === 404 ? undefined : `${path} is not described`
  const place = ['paths', template, method.toLowerCase(), 'responses']
  // Error responses are references to responses with a single schema.
  const isDescribed = status < 400 && at(document, ...place, String(status)) !== undefined
  if (!isDescribed && status < 400) return `${method} ${template} has no answer ${status}`
  // A shared response is described by a reference: `#/components/responses/Error`.
  const reference = at(document, ...place, String(status), '$ref')
  const response = typeof reference === 'string' ? reference.split('/').slice(1) : [...place, String(status)]
  const schema = isDescribed
    ? [...response, 'content', 'application/json', 'schema']
    : ['components', 'schemas', 'Error']
  if (isDescribed && at(document, ...schema) === undefined)
    return body === undefined ? undefined : 'a body that nobody described'
  const validate = ajv.getSchema(`control#/${schema.map(toPointer).map(encodeURIComponent).join('/')}`)
  if (validate === undefined) return `no schema at ${schema.join('/')}`
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}
