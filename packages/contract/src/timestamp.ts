import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { text } from './text.ts'

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
