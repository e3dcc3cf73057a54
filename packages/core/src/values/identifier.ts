import { InputError } from '../errors/input-error.ts'

const pattern = /^[^\p{Control}\p{Surrogate}]{1,255}$/u

export const identifierRule = 'must have 1 to 255 characters, without control characters or lone surrogates'

/** Returns whether a value can be an identifier, which every store can save and index. */
export const isIdentifier = (text: unknown): text is string => typeof text === 'string' && pattern.test(text)

/**
 * Checks identifiers, given by field name. Fields that are `undefined` are ignored.
 *
 * @throws InputError if a value cannot be an identifier.
 */
export const checkIdentifiers = (identifiers: Readonly<Record<string, string | undefined>>): void => {
  const issues = Object.entries(identifiers)
    .filter(([, text]) => text !== undefined && !isIdentifier(text))
    .map(([path]) => ({ path, message: identifierRule }))
  if (issues.length > 0) throw new InputError(issues)
}
