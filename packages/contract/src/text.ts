import { isWithinLength, storableText, type TextRules } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'

/**
 * Creates a string schema with a single custom check: zod's `minLength` and `maxLength` count UTF-16 code units, and
 * with `regex` they add half a kilobyte to every bundle. The conversion to JSON Schema reads the rules from zod's
 * `bag`.
 */
export const text = ({
  min = 0,
  max = Number.POSITIVE_INFINITY,
  pattern,
  form = 'in the expected format',
}: TextRules) => {
  const check = z.check<string>(({ value: input, issues }) => {
    const origin = 'string'
    if (input.length < min) issues.push({ code: 'too_small', origin, minimum: min, input })
    if (!isWithinLength(input, max)) issues.push({ code: 'too_big', origin, maximum: max, input })
    if (pattern?.test(input) === false) issues.push({ code: 'invalid_format', format: form, input })
  })
  check._zod.onattach.push(({ _zod: { bag } }) => {
    if (min > 0) bag.minimum = min
    if (max < Number.POSITIVE_INFINITY) bag.maximum = max
    if (pattern) bag.patterns = new Set([pattern])
  })
  return z.string().check(check)
}

export const nonEmpty = () => text({ min: 1 })

/** Creates a schema for strings that every store can save. */
export const storable = (length: Pick<TextRules, 'min' | 'max'>) =>
  text({ ...length, pattern: storableText, form: 'text without a NUL character or a lone surrogate' })
