/** Rules of a string. */
export type TextRules = {
  readonly min?: 0 | 1
  /** Maximum length in code points. */
  readonly max?: number
  readonly pattern?: RegExp
  /** Describes the pattern in the sentence "must be …". */
  readonly form?: string
}

/** Counts code points only if the UTF-16 length leaves the answer open. */
export const isWithinLength = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && [...text].length <= max)

/** Matches what every store can save: well-formed Unicode without NUL, because PostgreSQL rejects the rest. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes NUL
export const storableText = /^[^\u0000\uD800-\uDFFF]*$/u
