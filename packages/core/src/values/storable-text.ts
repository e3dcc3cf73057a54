import { InputError } from '../errors/operation-errors.ts'

export const storableTextRule = 'must not contain a NUL character or a lone surrogate'

/** Returns whether every store can save `text`. PostgreSQL requires well-formed Unicode without NUL. */
export const isStorableText = (text: unknown): text is string =>
  typeof text === 'string' && !/[\0\p{Surrogate}]/u.test(text)

const identifierPattern = /^[^\p{Control}\p{Surrogate}]{1,255}$/u

export const identifierRule = 'must have 1 to 255 characters, without control characters or lone surrogates'

/** Returns whether a value can be an identifier, which every store can save and index. */
export const isIdentifier = (text: unknown): text is string =>
  typeof text === 'string' && identifierPattern.test(text)

const createCheck =
  (isValid: (text: string) => boolean, message: string) =>
  (texts: Readonly<Record<string, string | undefined>>): void => {
    const issues = Object.entries(texts)
      .filter(([, text]) => text !== undefined && !isValid(text))
      .map(([path]) => ({ path, message }))
    if (issues.length > 0) throw new InputError(issues)
  }

/** Throws an InputError if a string cannot be stored. The strings are keyed by field, and may be undefined. */
export const checkTexts = createCheck(isStorableText, storableTextRule)

/** Throws an InputError if a string cannot be an identifier. See `checkTexts`. */
export const checkIdentifiers = createCheck(isIdentifier, identifierRule)
