import { validate } from '@wabakit/contract'
import type * as z from 'zod/mini'
import { ControlError } from './control-error.ts'

/**
 * What somebody sent, in the type of its schema.
 *
 * @throws ControlError `invalid_input`
 */
export const parseInput = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  const result = validate(schema, value)
  if (result.success) return result.data
  const sentences = result.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  throw new ControlError('invalid_input', `${sentences.join('; ')}.`, result.issues)
}
