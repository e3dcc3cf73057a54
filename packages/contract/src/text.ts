import {
  dateTime,
  dateTimeOrEmpty,
  isWithinLength,
  storableText,
  type TextRules,
} from '@wabakit/wire/definitions'
import * as z from 'zod/mini'

/**
 * Creates a string schema with a single custom check: zod's `minLength` and `maxLength` count UTF-16 code
 * units, and with `regex` they add half a kilobyte to every bundle. The conversion to JSON Schema reads the
 * rules from zod's `bag`.
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

/**
 * Schema of a received timestamp: an ISO 8601 date-time. Seconds, fraction and time zone may be missing, and
 * the offset may have no colon (`2026-01-01T10:00`, `…T10:00Z`, `…+0530`). The string is kept unchanged.
 */
export const Timestamp = /* @__PURE__ */ text({ pattern: dateTime, form: 'an ISO 8601 date-time' })

/** Schema of a received timestamp that may be an empty string for "unset"; otherwise like {@link Timestamp}. */
export const TimestampOrEmpty = /* @__PURE__ */ text({
  pattern: dateTimeOrEmpty,
  form: 'an ISO 8601 date-time',
})

/** Schema of a timestamp that the reference server sends: ISO 8601 in UTC, `2026-01-01T10:00:00.000Z`. */
export const UtcTimestamp = /* @__PURE__ */ text({
  pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  form: 'an ISO 8601 date-time in UTC with milliseconds',
})
