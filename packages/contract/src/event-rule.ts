import { alternatives } from './alternatives.ts'
import type { Issue } from './issue.ts'

/** Says what is wrong with a value at a path: nothing, or what its schema would say. */
export type EventRule = (value: unknown, path: string) => Issue[]

/** The rules of an object's fields, by name. */
export type EventRules = { readonly [field: string]: EventRule }

const wrong = (value: unknown, path: string, predicate: string): Issue[] => [
  { path, message: `${path || 'the value'} ${value === undefined ? 'is required' : predicate}` },
]

/** Any text. */
export const text: EventRule = (value, path) =>
  typeof value === 'string' ? [] : wrong(value, path, 'must be a string')

/** A text that is not empty. */
export const nonEmpty: EventRule = (value, path) =>
  value === '' ? wrong(value, path, 'must not be empty') : text(value, path)

/** A text that matches a pattern. */
export const matching =
  (pattern: RegExp, form: string): EventRule =>
  (value, path) =>
    typeof value === 'string' && !pattern.test(value)
      ? wrong(value, path, `must be ${form}`)
      : text(value, path)

/** A finite number. */
export const number: EventRule = (value, path) =>
  Number.isFinite(value) ? [] : wrong(value, path, 'must be a number')

/** One of these texts. */
export const oneOf =
  (...values: readonly unknown[]): EventRule =>
  (value, path) =>
    values.includes(value) ? [] : wrong(value, path, `must be ${alternatives(values)}`)

/** An array of texts. */
export const texts: EventRule = (value, path) =>
  Array.isArray(value)
    ? value.flatMap((item: unknown, index) => text(item, `${path}.${index}`))
    : wrong(value, path, 'must be an array')

const isFields = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object with these fields, and any others. */
export const object =
  (rules: EventRules): EventRule =>
  (value, path) =>
    isFields(value)
      ? Object.entries(rules).flatMap(([field, rule]) =>
          rule(value[field], path === '' ? field : `${path}.${field}`),
        )
      : wrong(value, path, 'must be an object')

/** What may be absent. */
export const optional =
  (rule: EventRule): EventRule =>
  (value, path) =>
    value === undefined ? [] : rule(value, path)

/** What may be absent or null. */
export const nullish =
  (rule: EventRule): EventRule =>
  (value, path) =>
    value == null ? [] : rule(value, path)
