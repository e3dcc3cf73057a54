import * as z from 'zod/mini'
import { exact } from './exact.ts'

/** One thing wrong with an input: `path` of the field (`summary.keyPoints.0`; empty for the whole) and a sentence. */
export const Issue = exact({ path: z.string(), message: z.string() })
export type Issue = z.infer<typeof Issue>

const sentence = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return 'must not be empty'
    default:
      return 'does not have an allowed form'
  }
}

/**
 * What a schema found wrong, as sentences. zod/mini ships without messages (they would weigh on every bundle), so
 * an issue for which a schema gave no sentence of its own gets a short one here.
 */
export const issuesOf = (error: z.core.$ZodError): Issue[] =>
  error.issues.map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message === 'Invalid input' ? sentence(issue) : issue.message,
  }))
