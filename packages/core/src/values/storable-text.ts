import { InputError } from '../errors/input-error.ts'

/** Tells whether every store can keep `text`: well-formed Unicode without NUL (PostgreSQL can keep neither). */
export const isStorableText = (text: unknown): text is string =>
  typeof text === 'string' && !/[\0\p{Surrogate}]/u.test(text)

/**
 * Checks texts, given by the names of their fields; those that are `undefined` are left out.
 *
 * @throws InputError when a store could not keep one.
 */
export const checkTexts = (texts: Readonly<Record<string, string | undefined>>): void => {
  const issues = Object.entries(texts)
    .filter(([, text]) => text !== undefined && !isStorableText(text))
    .map(([path]) => ({ path, message: 'must not contain a NUL character or a lone surrogate' }))
  if (issues.length > 0) throw new InputError(issues)
}
