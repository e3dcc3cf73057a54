/** Tells whether every store can keep `text`: well-formed Unicode without NUL (PostgreSQL can keep neither). */
export const isStorableText = (text: unknown): text is string =>
  typeof text === 'string' && !/[\0\p{Surrogate}]/u.test(text)
