import { dateTime, formatAlternatives, isWithinLength, storableText, type TextRules } from './rules.ts'
import type { Issue, Validation } from './validation.ts'

/** The fields of an object. */
export type Fields = { readonly [field: string]: unknown }

/** The issues of a value, and the paths of what its copy must leave out. */
export type Report = { readonly issues: Issue[]; readonly leftOut: string[] }

/** Checks a value, and reports an issue in the words of the schema. Without a report, it only checks. */
export type Check = (value: unknown, path?: string, report?: Report) => boolean

const fail = (problem: string, value: unknown, path = '', report?: Report): false => {
  const message = `${path || 'the value'} ${value === undefined ? 'is required' : problem}`
  report?.issues.push({ path, message })
  return false
}

export const isText = (value: unknown, path?: string, report?: Report): value is string =>
  typeof value === 'string' || fail('must be a string', value, path, report)

export const isNonEmpty: Check = (value, path, report) =>
  isText(value, path, report) && (value !== '' || fail('must not be empty', value, path, report))

const dateTimeForm = 'must be an ISO 8601 date-time'

export const isDateTime: Check = (value, path, report) =>
  isText(value, path, report) && (dateTime.test(value) || fail(dateTimeForm, value, path, report))

export const isDateTimeOrEmpty: Check = (value, path, report) =>
  isText(value, path, report) &&
  (value === '' || dateTime.test(value) || fail(`${dateTimeForm}, or empty when unset`, value, path, report))

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

/** Creates a check for one of some values. */
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, path, report) =>
    values.includes(value) || fail(`must be ${formatAlternatives(values)}`, value, path, report)

/** Creates a check for an array. */
export const array =
  (isItem: Check): Check =>
  (value, path, report) => {
    if (!Array.isArray(value)) return fail('must be an array', value, path, report)
    const valid = value.every((item) => isItem(item))
    if (!valid) for (const [index, item] of value.entries()) isItem(item, `${path}.${index}`, report)
    return valid
  }

/** Allows the value to be absent. */
export const optional =
  (check: Check): Check =>
  (value, path, report) =>
    value === undefined || check(value, path, report)

/** Allows the value to be absent or null. */
export const nullish =
  (check: Check): Check =>
  (value, path, report) =>
    value == null || check(value, path, report)

/** Leaves any other value out, which only a report can do. */
export const unchecked =
  (...checks: readonly Check[]): Check =>
  (value, path = '', report) =>
    checks.some((check) => check(value)) || (report?.leftOut.push(path) ?? 0) > 0

/** Checks for an object. A field named `__proto__` is left out: assigning it would change a prototype. */
export const isObject = (value: unknown, path = '', report?: Report): value is Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('must be an object', value, path, report)
  }
  if (!Object.hasOwn(value, '__proto__')) return true
  return (report?.leftOut.push(path ? `${path}.__proto__` : '__proto__') ?? 0) > 0
}

/** Creates a check for an object by its fields. */
export const object = (checks: { readonly [field: string]: Check }): Check => {
  const fields = Object.entries(checks)
  return (value, path, report) => {
    if (!isObject(value, path, report)) return false
    const results = fields.map(([field, check]) =>
      check(value[field], path ? `${path}.${field}` : field, report),
    )
    return !results.includes(false)
  }
}

const omit = (value: unknown, paths: readonly string[]): Fields => {
  const copy: Record<string, unknown> = { ...Object(value) }
  for (const path of paths) {
    const [field = '', inner] = path.split('.')
    if (inner === undefined) delete copy[field]
    else copy[field] = omit(copy[field], [inner])
  }
  return copy
}

/** Checks a value, which must be a `Value` if the check accepts it. It is copied only to leave something out. */
export const parse = <Value>(
  value: unknown,
  check: (value: unknown, path: string, report: Report) => unknown,
): Validation<Value> => {
  const report: Report = { issues: [], leftOut: [] }
  check(value, '', report)
  const { issues, leftOut } = report
  if (issues.length > 0) return { success: false, issues }
  return { success: true, data: (leftOut.length === 0 ? value : omit(value, leftOut)) as Value }
}
