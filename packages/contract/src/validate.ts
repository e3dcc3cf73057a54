import type { Validation } from '@wabakit/wire'
import * as z from 'zod/mini'
import { toIssues } from './issue.ts'

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
