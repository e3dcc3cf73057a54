import * as z from 'zod/mini'

/** What a text must keep to. */
type TextRules = {
  /** Fewest code points. */
  readonly min?: 0 | 1
  /** Most code points. */
  readonly max?: number
  /** What the whole text must match. */
  readonly pattern?: RegExp
  /** What matches the pattern, as the end of the sentence "must be …". */
  readonly form?: string
}

/** Tells whether `text` has at most `max` code points, without counting where its UTF-16 length decides. */
const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && [...text].length <= max)

/**
 * A string that keeps to all of the given rules. One check holds them: zod's `minLength`, `maxLength` and `regex`
 * would count UTF-16 units, and weigh half a kilobyte more in every bundle. JSON Schema reads them from the bag.
 */
export const text = ({
  min = 0,
  max = Number.POSITIVE_INFINITY,
  pattern,
  form = 'in the right form',
}: TextRules) => {
  const check = z.check<string>(({ value: input, issues }) => {
    const origin = 'string'
    if (input.length < min) issues.push({ code: 'too_small', origin, minimum: min, input })
    if (!fits(input, max)) issues.push({ code: 'too_big', origin, maximum: max, input })
    if (pattern?.test(input) === false) issues.push({ code: 'invalid_format', format: form, input })
  })
  check._zod.onattach.push(({ _zod: { bag } }) => {
    if (min > 0) bag.minimum = min
    if (max < Number.POSITIVE_INFINITY) bag.maximum = max
    if (pattern) bag.patterns = new Set([pattern])
  })
  return z.string().check(check)
}

/** A string that is not empty. */
export const nonEmpty = () => text({ min: 1 })

/** A text that every store can keep: well-formed Unicode without NUL (PostgreSQL can store neither). */
export const storable = (length: Pick<TextRules, 'min' | 'max'>) =>
  text({
    ...length,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the two things it is about
    pattern: /^[^\u0000\uD800-\uDFFF]*$/u,
    form: 'text without a NUL character or a lone surrogate',
  })
