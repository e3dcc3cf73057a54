import { InputError } from '../errors/input-error.ts'

/** Returns whether every store can save `text`. PostgreSQL requires well-formed Unicode without NUL. */
export const isStorableText = (text: unknown): text is string =>
  typeof text === 'string' && !/[\0\p{Surrogate}]/u.test(text)

/**
 * Checks strings, given by field name. Fields that are `undefined` are ignored.
 *
 * @throws InputError if a string cannot be stored.
 */
export const checkTexts = (texts: Readonly<Record<string, string | undefined>>): void => {
  const issues = Object.entries(texts)
    .filter(([, text]) => text !== undefined && !isStorableText(text))
    .map(([path]) => ({ path, message: 'must not contain a NUL character or a lone surrogate' }))
  if (issues.length > 0) throw new InputError(issues)
}
