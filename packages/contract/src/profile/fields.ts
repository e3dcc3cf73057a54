import type { FieldKind } from './known-names.ts'

type Fields = Readonly<Record<string, unknown>>

const phoneFields = /(?:^|\.)(?:\w+Number|customerPhone|from|to)$/

/** Fields of a call that are empty (`""`) until something happens, such as an answer. */
const stateFields = /^(?:call(?:Started|Ended)At|(?:picked|rejected|ended)By|failedReason|recordingUrl)$/

/** Returns whether the state of a call decides whether a field is empty. */
export const isStateField = (path: string): boolean => stateFields.test(path)

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the kind of a field's value. */
export const findKind = (path: string, value: unknown): FieldKind => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || typeof value === 'boolean')
    return typeof value === 'number' ? 'number' : 'boolean'
  if (typeof value !== 'string') return 'object'
  if (value === '') return 'empty'
  const [, plus] = (phoneFields.test(path) && /^(\+?)\d+$/.exec(value)) || []
  return plus === undefined ? 'string' : plus === '+' ? '+digits' : 'digits'
}

/** Returns the scheme of an `Authorization` header. */
export const findScheme = (authorization: string): 'Bearer' | 'Basic' | 'other' => {
  const [, scheme = ''] = /^(bearer|basic) /i.exec(authorization) ?? []
  return scheme === '' ? 'other' : scheme.toLowerCase() === 'bearer' ? 'Bearer' : 'Basic'
}

/** Returns the kind of each field whose path is known, in the order of the known paths. */
export const describeFields = (body: unknown, known: readonly string[]): Partial<Record<string, FieldKind>> =>
  Object.fromEntries(
    known.flatMap((path) => {
      const value = readPath(body, path)
      return value === undefined ? [] : [[path, findKind(path, value)]]
    }),
  )

/** Reads a value by its path. Returns `undefined` if there is none. */
export const readPath = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      body,
    )

const exampleNumber = '12025550143'

/** Returns a value of this kind: the given one, if it can be converted. */
const convert = (path: string, kind: FieldKind, value: unknown): unknown => {
  const digits = String(value ?? '').replaceAll(/\D/g, '')
  switch (kind) {
    case 'null':
      return null
    case 'empty':
      return ''
    case 'digits':
      return digits || exampleNumber
    case '+digits':
      return `+${digits || exampleNumber}`
    case 'number':
      return Number.isFinite(Number(value)) ? Number(value) : 0
    case 'boolean':
      return value === true
    case 'array':
      return Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]
    case 'object':
      return isObject(value) ? value : {}
    default: {
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      if (typeof value === 'string' && findKind(path, value) === 'string') return value
      if (phoneFields.test(path)) return '+1 202 555 0143'
      return path.endsWith('At') ? '2026-01-05T10:00:00.000Z' : 'Example'
    }
  }
}

const setPath = (body: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields => {
  if (rest.length > 0) {
    const inner = body[name]
    return { ...body, [name]: setPath(isObject(inner) ? inner : {}, rest, value) }
  }
  if (value !== undefined) return { ...body, [name]: value }
  const { [name]: _, ...others } = body
  return others
}

/**
 * Returns the body with a field of this kind, or without the field (`undefined`).
 *
 * @param source - the value is taken from here if the body has none.
 */
export const playField = (
  body: Fields,
  {
    path,
    kind,
    source = body,
  }: { readonly path: string; readonly kind: FieldKind | undefined; readonly source?: Fields },
): Fields => {
  const value = readPath(body, path) ?? readPath(source, path)
  return setPath(body, path.split('.'), kind === undefined ? undefined : convert(path, kind, value))
}
