import * as z from 'zod/mini'
import { type Issue, toIssues } from './issue.ts'

/** Result of {@link validate} or {@link validateEvent}: the typed value, or the issues found. */
export type Validation<Value> =
  | {
      /** The value is valid. */
      readonly success: true
      /** The typed value. */
      readonly data: Value
    }
  | {
      /** The value is invalid. */
      readonly success: false
      /** The problems found, in the order of the schema's fields. */
      readonly issues: Issue[]
    }

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
