import { formatAlternatives } from './format-alternatives.ts'
import type { Issue } from './issue.ts'

/** Finds the issues of the value at a path, in the words of its schema. */
export type EventRule = (value: unknown, path: string) => Issue[]

/** Rules of an object's fields, by name. */
export type EventRules = { readonly [field: string]: EventRule }

const reportIssue = (value: unknown, path: string, predicate: string): Issue[] => [
  { path, message: `${path || 'the value'} ${value === undefined ? 'is required' : predicate}` },
]

/** A string. */
export const text: EventRule = (value, path) =>
  typeof value === 'string' ? [] : reportIssue(value, path, 'must be a string')

/** A non-empty string. */
export const nonEmpty: EventRule = (value, path) =>
  value === '' ? reportIssue(value, path, 'must not be empty') : text(value, path)

/** A string that matches a pattern. */
export const matching =
  (pattern: RegExp, form: string): EventRule =>
  (value, path) =>
    typeof value === 'string' && !pattern.test(value)
      ? reportIssue(value, path, `must be ${form}`)
      : text(value, path)

/** A finite number. */
export const number: EventRule = (value, path) =>
  Number.isFinite(value) ? [] : reportIssue(value, path, 'must be a number')

/** One of the given values. */
export const oneOf =
  (...values: readonly unknown[]): EventRule =>
  (value, path) =>
    values.includes(value) ? [] : reportIssue(value, path, `must be ${formatAlternatives(values)}`)

/** An array of strings. */
export const texts: EventRule = (value, path) =>
  Array.isArray(value)
    ? value.flatMap((item: unknown, index) => text(item, `${path}.${index}`))
    : reportIssue(value, path, 'must be an array')

const isFields = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object with the given fields, and any others. */
export const object =
  (rules: EventRules): EventRule =>
  (value, path) =>
    isFields(value)
      ? Object.entries(rules).flatMap(([field, rule]) =>
          rule(value[field], path === '' ? field : `${path}.${field}`),
        )
      : reportIssue(value, path, 'must be an object')

/** Allows the value to be absent. */
export const optional =
  (rule: EventRule): EventRule =>
  (value, path) =>
    value === undefined ? [] : rule(value, path)

/** Allows the value to be absent or null. */
export const nullish =
  (rule: EventRule): EventRule =>
  (value, path) =>
    value == null ? [] : rule(value, path)
