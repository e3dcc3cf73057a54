import { ApiError, type FieldIssue } from '../api/api-error.ts'

/** The subset of JSON Schema that the control API's documents use. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** A form field. The user edits values of kind `json` as JSON. */
export type Field = {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly kind: 'choice' | 'boolean' | 'number' | 'text' | 'json'
  readonly choices: readonly string[]
}

const findKind = ({ type, enum: choices }: JsonSchema): Field['kind'] => {
  if (choices !== undefined) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'string' ? 'text' : 'json'
}

/** Returns a field's position in a form: required fields come first, JSON fields last. */
const rank = ({ isRequired, kind }: Field): number =>
  isRequired ? 0 : ['choice', 'number', 'boolean', 'text', 'json'].indexOf(kind) + 1

/** Lists a request's fields from its schema in an OpenAPI document. */
export const listFields = (schemas: Readonly<Record<string, JsonSchema>>, name: string): Field[] => {
  const { properties = {}, required = [] } = schemas[name] ?? {}
  const fields = Object.entries(properties).map(([field, schema]): Field => {
    const found = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    return {
      name: field,
      description: schema.description ?? '',
      isRequired: required.includes(field),
      kind: findKind(found),
      choices: (found.enum ?? []).map(String),
    }
  })
  return fields.toSorted((left, right) => rank(left) - rank(right))
}

/**
 * Builds a request body from the values of a form, without the empty fields.
 *
 * @throws ApiError if a number or JSON field cannot be parsed.
 */
export const readFields = (fields: readonly Field[], values: FormData): Record<string, unknown> => {
  const body: Record<string, unknown> = {}
  const issues: FieldIssue[] = []
  for (const { name, kind } of fields) {
    const value = String(values.get(name) ?? '').trim()
    if (value === '') continue
    const isText = kind === 'text' || kind === 'choice'
    try {
      body[name] = isText ? value : JSON.parse(value)
    } catch {
      const message = kind === 'number' ? 'must be a number' : 'must be JSON, with strings in double quotes'
      issues.push({ path: name, message })
    }
  }
  if (issues.length > 0) throw new ApiError(0, 'Some fields are not valid.', { issues })
  return body
}
