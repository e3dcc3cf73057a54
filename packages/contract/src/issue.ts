import type * as wire from '@wabakit/wire'
import type { Validation } from '@wabakit/wire'
import { formatAlternatives, issueRule } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { createSchema, type ObjectSchema } from './schema.ts'

/**
 * One problem with an invalid input.
 *
 * @interface
 */
export type Issue = wire.Issue

/** Schema of {@link Issue}. */
export const Issue: ObjectSchema<Issue> = /* @__PURE__ */ createSchema(issueRule)

const expectations: Record<string, string> = {
  array: 'an array',
  int: 'an integer',
  object: 'an object',
  record: 'an object',
}

const formatQuantity = (issue: { origin: string }, count: number | bigint): string => {
  if (issue.origin === 'string') return `${count} characters long`
  return issue.origin === 'array' ? `${count} items long` : `${count}`
}

const describeIssue = (issue: z.core.$ZodIssue): string => {
  if ('input' in issue && issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expectations[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${formatAlternatives(issue.values)}`
    case 'invalid_format':
      return `must be ${issue.format}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number'
        ? 'must not be empty'
        : `must be at least ${formatQuantity(issue, issue.minimum)}`
    case 'too_big':
      return `must be at most ${formatQuantity(issue, issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have the field ${issue.keys.join(', ')}`
    default:
      return 'is invalid'
  }
}

/**
 * Checks whether a message is to be replaced: it is zod's own, or it is about a value of the wrong type. Zod adds its own
 * messages as soon as any code in the process creates a schema with `zod` instead of `zod/mini`.
 */
const isDefault = (issue: z.core.$ZodIssue): boolean => {
  const { localeError } = z.core.globalConfig
  const text = localeError?.(issue as z.core.$ZodRawIssue)
  const own = typeof text === 'string' ? text : text?.message
  return issue.code === 'invalid_type' || issue.message === 'Invalid input' || issue.message === own
}

/**
 * Replaces the issue of a union with the issues of the option that matches the value's type, if there is
 * exactly one. Otherwise, the message would be "is invalid", which does not say which field is wrong.
 */
const explainUnion = (issue: z.core.$ZodIssue): z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union' || !isDefault(issue)) return [issue]
  const [meant, ...others] = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0))
  if (meant === undefined || others.length > 0) return [issue]
  return meant.flatMap((inner) => explainUnion({ ...inner, path: [...issue.path, ...inner.path] }))
}

/**
 * Converts a zod error to issues with readable messages, such as "summary.recap must be a string", because
 * zod/mini leaves them out to keep bundles small. Keeps messages that a schema defines, except those for a wrong type.
 */
export const toIssues = (error: z.core.$ZodError): Issue[] =>
  error.issues.flatMap(explainUnion).map((issue) => {
    const path = issue.path.map(String).join('.')
    const message = isDefault(issue) ? `${path || 'the value'} ${describeIssue(issue)}` : issue.message
    return { path, message }
  })

/**
 * Validates a value and describes every problem in a readable message.
 *
 * @param schema - a schema of this package, or any other zod schema.
 * @param value - the value to validate.
 * @returns the typed value, or the issues found.
 * @example
 * const result = validate(CreateGroupRequest, body)
 * if (!result.success) result.issues // [{ path: 'subject', message: 'subject is required' }]
 */
export const validate = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Validation<z.output<Schema>> => {
  const result = z.safeParse(schema, value, { reportInput: true })
  return result.success ? result : { success: false, issues: toIssues(result.error) }
}
