import { InputError } from '../errors/input-error.ts'

const pattern = /^[^\p{Control}\p{Surrogate}]{1,255}$/u

/** What an identifier must be. */
export const identifierRule = 'must have 1 to 255 characters, without control characters or lone surrogates'

/** Tells whether a text can be an identifier: every store can keep it, and index it. */
export const isIdentifier = (text: unknown): text is string => typeof text === 'string' && pattern.test(text)

/**
 * Checks identifiers, given by the names of their fields; those that are `undefined` are left out.
 *
 * @throws InputError when one cannot be an identifier.
 */
export const checkIdentifiers = (identifiers: Readonly<Record<string, string | undefined>>): void => {
  const issues = Object.entries(identifiers)
    .filter(([, text]) => text !== undefined && !isIdentifier(text))
    .map(([path]) => ({ path, message: identifierRule }))
  if (issues.length > 0) throw new InputError(issues)
}
