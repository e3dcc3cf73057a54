import { validate } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import { phoneNumberRule, toDigits } from './phone-number.ts'
import { identifierRule, isIdentifier, isStorableText, storableTextRule } from './storable-text.ts'

// The schema of an input is its only definition. Its type and its check, the OpenAPI document, the
// inspector's forms, the commands' options and the mock's checks are derived from it.

/** An optional field. The OpenAPI document, the inspector and the command line show its description. */
export const optional = <Schema extends z.core.$ZodType>(schema: Schema, description: string) =>
  z.optional(schema).check(z.describe(description))

/** The JSON Schema of an identifier, except its type. */
export const identifierFacts = {
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
} as const

const phoneNumberFacts = { maxLength: 255, pattern: '^ *\\+?[ .()-]*[0-9][0-9 .()-]*$' } as const

export const identifier = z
  .string()
  .check(z.refine(isIdentifier, { error: identifierRule }), z.meta(identifierFacts))

/** A phone number. Only its digits are compared. */
export const phoneNumber = z.string().check(
  z.refine((text) => toDigits(text) !== undefined, { error: phoneNumberRule }),
  z.meta(phoneNumberFacts),
)

/** Text that every store can save. */
export const storableText = z.string().check(z.refine(isStorableText, { error: storableTextRule }))

/** Returns the value if it matches the schema. @throws InputError with every problem. */
export const parseInput = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  const parsed = validate(schema, value)
  if (parsed.success) return parsed.data
  throw new InputError(parsed.issues)
}
