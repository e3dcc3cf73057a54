import type { Issue, Validation } from './validation.ts'

// The rules that the generated checks share with the contract's schemas.

/** Matches an ISO 8601 date-time: a calendar, week or ordinal date, in basic or extended format, with a time of any precision. */
export const dateTime: RegExp =
  /^\d{4}(?:-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])|-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]|-?[0-3]\d\d)T(?:(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?::?00){0,2})(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/

/** Matches an ISO 8601 date-time or the empty string. */
export const dateTimeOrEmpty: RegExp = /* @__PURE__ */ (() =>
  new RegExp(`^(?:${dateTime.source.slice(1, -1)})?$`))()

/** Rules for a string. */
export type TextRules = {
  readonly min?: 0 | 1
  /** Maximum length in code points. */
  readonly max?: number | undefined
  readonly pattern?: RegExp
  /** Describes the pattern in the sentence "must be …". */
  readonly form?: string
}

/** Checks whether a string has at most `max` code points. It counts them only if the UTF-16 length is not conclusive. */
export const isWithinLength = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && [...text].length <= max)

/** Matches text that every store can save: well-formed Unicode without NUL. PostgreSQL rejects anything else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes NUL
export const storableText = /^[^\u0000\uD800-\uDFFF]*$/u

/** Lists values for the sentence "must be …": `PSTN, WHATSAPP or empty`. */
export const formatAlternatives = (values: readonly unknown[]): string => {
  const words = values.map((value) => (value === '' ? 'empty' : String(value)))
  const last = words.pop()
  return words.length === 0 ? `${last}` : `${words.join(', ')} or ${last}`
}

// The building blocks of the generated checks.

export type Fields = { readonly [field: string]: unknown }

/** The issues of a value, and the paths of the fields to drop from it. */
export type Report = { readonly issues: Issue[]; readonly leftOut: string[] }

/** Checks a value, and adds any issue to the report, worded as in the schema. Without a report, it only checks. */
export type Check = (value: unknown, path?: string, report?: Report) => boolean

/** Reports that a value has a problem, or is missing. */
export const fail = (problem: string, value: unknown, path = '', report?: Report): false => {
  const message = `${path || 'the value'} ${value === undefined ? 'is required' : problem}`
  report?.issues.push({ path, message })
  return false
}

export const isText = (value: unknown, path?: string, report?: Report): value is string =>
  typeof value === 'string' || fail('must be a string', value, path, report)

export const isNonEmpty: Check = (value, path, report) =>
  isText(value, path, report) && (value !== '' || fail('must not be empty', value, path, report))

export const isDateTime: Check = (value, path, report) =>
  isText(value, path, report) &&
  (dateTime.test(value) || fail('must be an ISO 8601 date-time', value, path, report))

export const isDateTimeOrEmpty: Check = (value, path, report) =>
  value === '' || isDateTime(value, path, report)

/** Creates a check for text that every store can save. */
export const storable =
  ({ min = 0, max = Number.POSITIVE_INFINITY }: TextRules): Check =>
  (value, path, report) => {
    const isLong = min > 0 ? isNonEmpty(value, path, report) : isText(value, path, report)
    if (!isText(value)) return false
    const isShort =
      isWithinLength(value, max) || fail(`must be at most ${max} characters long`, value, path, report)
    const form = 'must be text without a NUL character or a lone surrogate'
    return (storableText.test(value) || fail(form, value, path, report)) && isLong && isShort
  }

export const isBoolean: Check = (value, path, report) =>
  typeof value === 'boolean' || fail('must be a boolean', value, path, report)

export const isNumber: Check = (value, path, report) =>
  Number.isFinite(value) || fail('must be a number', value, path, report)

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, path, report) =>
    values.includes(value) || fail(`must be ${formatAlternatives(values)}`, value, path, report)

export const array =
  (isItem: Check): Check =>
  (value, path, report) => {
    if (!Array.isArray(value)) return fail('must be an array', value, path, report)
    let valid = true
    for (let index = 0; index < value.length; index += 1) {
      // Formats a path only for an invalid item.
      valid = (isItem(value[index]) || isItem(value[index], `${path}.${index}`, report)) && valid
    }
    return valid
  }

/** Allows the value to be absent. */
export const optional =
  (check: Check): Check =>
  (value, path, report) =>
    value === undefined || check(value, path, report)

/** Allows the value to be null, but not to be absent. */
export const nullable =
  (check: Check): Check =>
  (value, path, report) =>
    value === null || check(value, path, report)

/** Allows the value to be absent or null. */
export const nullish =
  (check: Check): Check =>
  (value, path, report) =>
    value == null || check(value, path, report)

/** Drops a value by adding its path to the report. Without a report, nothing can be dropped, so the value is invalid. */
const leaveOut = (path = '', report?: Report): boolean => (report?.leftOut.push(path) ?? 0) > 0

/** Accepts a value that passes one of the checks, which must drop nothing themselves, and drops any other value. */
export const unchecked =
  (...checks: readonly Check[]): Check =>
  (value, path, report) =>
    checks.some((check) => check(value)) || leaveOut(path, report)

/** Allows the value to be absent. Drops an empty string and null, which mean the same. */
export const unset =
  (check: Check): Check =>
  (value, path, report) =>
    value === '' || value === null
      ? leaveOut(path, report)
      : value === undefined || check(value, path, report)

/** Checks that a value is an object. Drops a field named `__proto__`, because assigning it would change a prototype. */
export const isObject = (value: unknown, path = '', report?: Report): value is Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('must be an object', value, path, report)
  }
  if (!Object.hasOwn(value, '__proto__')) return true
  return leaveOut(path ? `${path}.__proto__` : '__proto__', report)
}

export const object = (checks: { readonly [field: string]: Check }): Check => {
  const fields = Object.entries(checks)
  return (value, path, report) => {
    if (!isObject(value, path, report)) return false
    let valid = true
    for (const [field, check] of fields) {
      valid = check(value[field], path ? `${path}.${field}` : field, report) && valid
    }
    return valid
  }
}

/** Returns a copy of a value without the field at a path. */
const omit = (value: unknown, [field = '', ...inner]: readonly string[]): object => {
  const copy: object = Array.isArray(value) ? [...value] : { ...Object(value) }
  if (inner.length === 0) Reflect.deleteProperty(copy, field)
  else Reflect.set(copy, field, omit(Reflect.get(copy, field), inner))
  return copy
}

/** Runs a check that accepts only a `Value`. Returns the value, copied only to drop fields, or its issues. */
export const parse = <Value>(
  value: unknown,
  check: (value: unknown, path: string, report: Report) => unknown,
): Validation<Value> => {
  const report: Report = { issues: [], leftOut: [] }
  check(value, '', report)
  const { issues, leftOut } = report
  if (issues.length > 0) return { success: false, issues }
  let data = value
  for (const path of leftOut) data = omit(data, path.split('.'))
  return { success: true, data: data as Value }
}

export const createValidator = <Body>(checks: {
  readonly [field: string]: Check
}): ((value: unknown) => Validation<Body>) => {
  const check = object(checks)
  return (value: unknown): Validation<Body> => parse(value, check)
}
