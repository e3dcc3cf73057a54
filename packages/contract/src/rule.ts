import { formatAlternatives } from './format-alternatives.ts'
import type { Issue } from './issue.ts'
import { isWithinLength, type TextRules } from './text-rules.ts'
import type { Validation } from './validate.ts'

/** Parses the value at a path like its schema. Adds what is wrong to `issues`, in the words of the schema. */
export type Rule = (value: unknown, path: string, issues: Issue[]) => unknown

const report = (value: unknown, path: string, problem: string): Issue => ({
  path,
  message: `${path || 'the value'} ${value === undefined ? 'is required' : problem}`,
})

/** Creates a rule that returns the value unchanged. */
const createRule =
  (isValid: (value: unknown) => boolean, problem: string): Rule =>
  (value, path, issues) => {
    if (!isValid(value)) issues.push(report(value, path, problem))
    return value
  }

/** A string. */
export const text =
  ({ min = 0, max = Number.POSITIVE_INFINITY, pattern, form }: TextRules = {}): Rule =>
  (value, path, issues) => {
    const check = (isValid: boolean, problem: string) => {
      if (!isValid) issues.push(report(value, path, problem))
    }
    if (typeof value === 'string') {
      check(value.length >= min, 'must not be empty')
      check(isWithinLength(value, max), `must be at most ${max} characters long`)
      check(pattern?.test(value) !== false, `must be ${form}`)
    } else check(false, 'must be a string')
    return value
  }

/** A boolean. */
export const boolean = /* @__PURE__ */ createRule((value) => typeof value === 'boolean', 'must be a boolean')

/** A finite number. */
export const number = /* @__PURE__ */ createRule((value) => Number.isFinite(value), 'must be a number')

/** One of the given values. */
export const oneOf = (...values: readonly unknown[]): Rule =>
  createRule((value) => values.includes(value), `must be ${formatAlternatives(values)}`)

/** An array. */
export const array =
  (rule: Rule): Rule =>
  (value, path, issues) => {
    if (Array.isArray(value)) return value.map((item, index) => rule(item, `${path}.${index}`, issues))
    issues.push(report(value, path, 'must be an array'))
  }

/** An object with the given fields, and any others but `__proto__`: assigning that would change a prototype. */
export const object =
  (rules: { readonly [field: string]: Rule }): Rule =>
  (value, path, issues) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return void issues.push(report(value, path, 'must be an object'))
    }
    const parsed = Object.entries(rules).map(([field, rule]) => {
      const inner: unknown = Reflect.get(value, field)
      return [field, rule(inner, path ? `${path}.${field}` : field, issues)] as const
    })
    const others = Object.entries(value).filter(
      ([field]) => field !== '__proto__' && !Object.hasOwn(rules, field),
    )
    return Object.fromEntries([...parsed.filter(([, field]) => field !== undefined), ...others])
  }

/** Allows the value to be absent. */
export const optional =
  (rule: Rule): Rule =>
  (value, path, issues) =>
    value === undefined ? value : rule(value, path, issues)

/** Allows the value to be absent or null. */
export const nullish =
  (rule: Rule): Rule =>
  (value, path, issues) =>
    value == null ? value : rule(value, path, issues)

/** Allows the value to match one of two rules. */
export const either =
  (one: Rule, other: Rule): Rule =>
  (value, path, issues) => {
    const found: Issue[] = []
    const parsed = one(value, path, found)
    return found.length === 0 ? parsed : other(value, path, issues)
  }

/** Accepts any value and leaves it out. */
export const leaveOut: Rule = () => undefined

/** Parses a value. The rule must be that of `Value`. */
export const parse = <Value>(rule: Rule, value: unknown): Validation<Value> => {
  const issues: Issue[] = []
  const data = rule(value, '', issues)
  return issues.length === 0 ? { success: true, data: data as Value } : { success: false, issues }
}
