import { text } from './text.ts'

/** ISO 8601 with all its options: calendar, week and ordinal dates, basic and extended form, reduced precision. */
const iso8601 = (): string => {
  const day = String.raw`-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])`
  const weekday = String.raw`-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]`
  const ordinal = String.raw`-?[0-3]\d\d`
  const time = String.raw`(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?::?00){0,2}`
  const zone = String.raw`Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?`
  return String.raw`\d{4}(?:${day}|${weekday}|${ordinal})T(?:${time})(?:${zone})?`
}

/** Matches a {@link Timestamp}. */
export const dateTime: RegExp = /* @__PURE__ */ (() => new RegExp(`^${iso8601()}$`))()

/** Matches a {@link TimestampOrEmpty}. */
export const dateTimeOrEmpty: RegExp = /* @__PURE__ */ (() => new RegExp(`^(?:${iso8601()})?$`))()

/**
 * An ISO 8601 date-time as vendors write it: seconds, fraction and zone may be missing, the offset may lack its
 * colon (`2026-01-01T10:00`, `…T10:00Z`, `…+0530`). Kept as the string that came, never normalised.
 */
export const Timestamp = /* @__PURE__ */ text({ pattern: dateTime, form: 'an ISO 8601 date-time' })

/** A timestamp of an event on which vendors write "unset" as an empty string; otherwise like `Timestamp`. */
export const TimestampOrEmpty = /* @__PURE__ */ text({
  pattern: dateTimeOrEmpty,
  form: 'an ISO 8601 date-time, or empty when unset',
})

/** The one form this project's own server emits: ISO 8601 in UTC with milliseconds, `2026-01-01T10:00:00.000Z`. */
export const UtcTimestamp = /* @__PURE__ */ text({
  pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  form: 'an ISO 8601 date-time in UTC with milliseconds',
})
