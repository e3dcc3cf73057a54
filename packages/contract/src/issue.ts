import * as z from 'zod/mini'
import { alternatives } from './alternatives.ts'
import { exact } from './exact.ts'

/** Schema of {@link Issue}. */
export const Issue = /* @__PURE__ */ exact(() => ({
  /** The field, with dots: `summary.keyPoints.0`; empty for the whole input. */
  path: z.string(),
  /** What is wrong with it, as a sentence that can stand alone. */
  message: z.string(),
}))

/**
 * One thing wrong with an input.
 *
 * @interface
 */
export type Issue = z.infer<typeof Issue>

const expectations: Record<string, string> = { array: 'an array', int: 'an integer', object: 'an object' }

const quantity = (issue: { origin: string }, count: number | bigint): string => {
  if (issue.origin === 'string') return `${count} characters long`
  return issue.origin === 'array' ? `${count} items long` : `${count}`
}

const predicate = (issue: z.core.$ZodIssue): string => {
  if ('input' in issue && issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expectations[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${alternatives(issue.values)}`
    case 'invalid_format':
      return `must be ${issue.format}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number'
        ? 'must not be empty'
        : `must be at least ${quantity(issue, issue.minimum)}`
    case 'too_big':
      return `must be at most ${quantity(issue, issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have the field ${issue.keys.join(', ')}`
    default:
      return 'does not have an allowed form'
  }
}

/**
 * What a schema found wrong, as sentences. zod/mini ships without messages (they would weigh on every bundle), so
 * an issue for which a schema gave no sentence of its own gets one here: "summary.recap must be a string".
 */
export const issuesOf = (error: z.core.$ZodError): Issue[] =>
  error.issues.map((issue) => {
    const path = issue.path.map(String).join('.')
    const message =
      issue.message === 'Invalid input' ? `${path || 'the value'} ${predicate(issue)}` : issue.message
    return { path, message }
  })
