// The rules that the schemas of the contract share with the generated checks.

/** Matches an ISO 8601 date-time: a calendar, week or ordinal date, in basic or extended format, of any precision. */
export const dateTime: RegExp =
  /^\d{4}(?:-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])|-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]|-?[0-3]\d\d)T(?:(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?::?00){0,2})(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/

/** Matches an ISO 8601 date-time or the empty string. */
export const dateTimeOrEmpty: RegExp = /* @__PURE__ */ (() =>
  new RegExp(`^(?:${dateTime.source.slice(1, -1)})?$`))()

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

/** Formats values for the sentence "must be …": `PSTN, WHATSAPP or empty`. */
export const formatAlternatives = (values: readonly unknown[]): string => {
  const words = values.map((value) => (value === '' ? 'empty' : String(value)))
  const last = words.pop()
  return words.length === 0 ? `${last}` : `${words.join(', ')} or ${last}`
}
