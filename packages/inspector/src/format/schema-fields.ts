import type { Issue } from '@wabakit/wire'
import { ApiError } from '../api/api-error.ts'
import { type Choice, toChoices } from './choices.ts'

/** The part of JSON Schema that forms read. */
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

export type Field = {
  /** The path of the value in the request body, such as `summary.recap`. */
  readonly name: string
  /** @default the name */
  readonly label?: string
  readonly description: string
  readonly isRequired?: boolean
  /** `lines` is a list of strings, one per line. `several` is a list of choices. */
  readonly kind: 'choice' | 'boolean' | 'number' | 'text' | 'url' | 'secret' | 'lines' | 'several'
  /** The values to choose from. For a text field, they are suggestions. */
  readonly choices?: readonly Choice[]
  /** Describes an empty field. @default 'default' */
  readonly empty?: string
}

const findKind = ({ type, enum: choices, anyOf = [] }: JsonSchema): Field['kind'] => {
  if (choices !== undefined) return 'choice'
  if (type === 'array') return 'lines'
  if (type === 'boolean' || type === 'number') return type
  if (type === 'integer') return 'number'
  return anyOf.some((each) => each.type === 'string') || anyOf.length === 0
    ? 'text'
    : findKind(anyOf[0] ?? {})
}

/** Returns a field's position in a form: required fields come first. */
const rank = ({ isRequired, kind }: Field): number =>
  isRequired ? 0 : ['choice', 'number', 'boolean', 'text', 'lines'].indexOf(kind) + 1

/** The choice that sends `false` instead of the parts of an object. */
export const none = 'none'

/**
 * Lists a request's fields from its schema in an OpenAPI document. Each property of an object is a field. If
 * `false` is possible instead of an object, a field offers that.
 */
export const listFields = (schemas: Readonly<Record<string, JsonSchema>>, name: string): Field[] => {
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const list = ({ properties = {}, required = [] }: JsonSchema, prefix: string): Field[] =>
    Object.entries(properties).flatMap(([key, schema]) => {
      const found = resolve(schema)
      const { anyOf = [found] } = found
      const path = prefix + key
      const field = { name: path, description: schema.description ?? '', isRequired: required.includes(key) }
      const object = anyOf.map(resolve).find(({ properties: parts }) => parts !== undefined)
      if (object === undefined) {
        return [{ ...field, kind: findKind(found), choices: toChoices((found.enum ?? []).map(String)) }]
      }
      const canOmit = anyOf.some((each) => each.const === false)
      const switchField: Field = { ...field, kind: 'choice', choices: toChoices([none]) }
      return [...(canOmit ? [switchField] : []), ...list(object, `${path}.`)]
    })
  return list(schemas[name] ?? {}, '').toSorted((left, right) => rank(left) - rank(right))
}

const readField = ({ name, kind }: Field, values: FormData): unknown => {
  if (kind === 'several') {
    const chosen = values.getAll(name).map(String)
    return chosen.length === 0 ? undefined : chosen
  }
  const value = String(values.get(name) ?? '').trim()
  if (value === '') return undefined
  if (kind === 'lines')
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  if (kind === 'boolean') return value === 'true'
  if (kind !== 'number') return value
  const number = Number(value)
  if (Number.isFinite(number)) return number
  throw new ApiError(0, '', { issues: [{ path: name, message: 'must be a number' }] })
}

type Body = Record<string, unknown>

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null

/** Sets a value at a path such as `summary.recap`. */
const setAt = (body: Body, [key = '', ...rest]: readonly string[], value: unknown): void => {
  if (rest.length === 0) body[key] = value
  else {
    const inner = body[key]
    const part = isObject(inner) ? inner : {}
    body[key] = part
    setAt(part, rest, value)
  }
}

/**
 * Builds a request body from the values of a form, without the empty fields.
 *
 * @throws ApiError if a value cannot be read, or if the form omits an object but sets a part of it.
 */
export const readFields = (fields: readonly Field[], values: FormData): Body => {
  const body: Body = {}
  const issues: Issue[] = []
  const omitted = fields.filter(
    ({ name, choices }) => values.get(name) === none && choices?.[0]?.value === none,
  )
  for (const field of fields) {
    const { name } = field
    try {
      const value = readField(field, values)
      if (value === undefined) continue
      if (omitted.some((each) => name.startsWith(`${each.name}.`))) {
        issues.push({ path: name, message: 'must be empty, because there is none' })
      } else setAt(body, name.split('.'), omitted.includes(field) ? false : value)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      issues.push(...error.issues)
    }
  }
  if (issues.length > 0) throw new ApiError(0, 'Some fields are not valid.', { issues })
  return body
}
