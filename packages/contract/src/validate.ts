import * as z from 'zod/mini'
import { type Issue, issuesOf } from './issue.ts'

/** What {@link validate} finds: the value in the type of its schema, or what is wrong with it. */
export type Validation<Value> =
  | {
      /** The value fits. */
      readonly success: true
      /** The value. */
      readonly data: Value
    }
  | {
      /** The value does not fit. */
      readonly success: false
      /** What does not fit, by field. */
      readonly issues: Issue[]
    }

/**
 * Holds a value against a schema, and says in sentences what does not fit.
 *
 * @param schema - any schema of this package, or another zod schema.
 * @param value - what came from outside.
 * @example
 * const result = validate(CreateGroupRequest, body)
 * if (!result.success) result.issues // [{ path: 'subject', message: 'subject is required' }]
 */
export const validate = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Validation<z.output<Schema>> => {
  const result = z.safeParse(schema, value, { reportInput: true })
  return result.success ? result : { success: false, issues: issuesOf(result.error) }
}
