/** A matcher such as vitest's and jest's `expect.any(String)`. @inline */
export type Asymmetric = { asymmetricMatch(value: unknown): boolean }

/** A part of a value, at any depth. A regular expression may stand in for a string. */
export type Partially<Value> =
  | Asymmetric
  | (Value extends string
      ? Value | RegExp
      : Value extends readonly (infer Item)[]
        ? readonly Partially<Item>[]
        : Value extends object
          ? { readonly [Field in keyof Value]?: Partially<Value[Field]> | undefined }
          : Value)

export type Difference = {
  /** Path of the field, such as `summary.keyPoints.0`; empty for the whole value. */
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === 'object' &&
  value !== null &&
  'asymmetricMatch' in value &&
  typeof value.asymmetricMatch === 'function'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Recognizes a regular expression from any realm, such as that of a test in jsdom. */
export const isRegExp = (value: unknown): value is RegExp =>
  Object.prototype.toString.call(value) === '[object RegExp]'

const isSame = (expected: unknown, actual: unknown): boolean => {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual)
  if (isRegExp(expected)) return typeof actual === 'string' && new RegExp(expected).test(actual)
  return Object.is(expected, actual)
}

export const hasFields = (expected: unknown): expected is Readonly<Record<string, unknown>> =>
  isObject(expected) && !isAsymmetric(expected) && !isRegExp(expected)

/**
 * Finds the fields in which `actual` differs from `expected`. Objects may have additional fields; arrays must
 * have the same length.
 */
export const findDifferences = (expected: unknown, actual: unknown, path = ''): Difference[] => {
  if (!hasFields(expected)) return isSame(expected, actual) ? [] : [{ path, expected, actual }]
  if (!isObject(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return [{ path, expected, actual }]
  const toPath = (field: string): string => (path === '' ? field : `${path}.${field}`)
  const differences = Object.keys(expected).flatMap((field) =>
    findDifferences(expected[field], actual[field], toPath(field)),
  )
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length) {
    differences.push({ path: toPath('length'), expected: expected.length, actual: actual.length })
  }
  return differences
}
