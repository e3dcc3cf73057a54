import { dateTime, dateTimeOrEmpty } from '@wabakit/wire/definitions'
import { text } from './text.ts'

/**
 * Schema of a received timestamp: any ISO 8601 date-time. Seconds, fraction and time zone may be missing, and the offset
 * may have no colon (`2026-01-01T10:00`, `…T10:00Z`, `…+0530`). The string is kept unchanged.
 */
export const Timestamp = /* @__PURE__ */ text({ pattern: dateTime, form: 'an ISO 8601 date-time' })

/** Schema of a received timestamp that may be an empty string for "unset"; otherwise like {@link Timestamp}. */
export const TimestampOrEmpty = /* @__PURE__ */ text({
  pattern: dateTimeOrEmpty,
  form: 'an ISO 8601 date-time, or empty when unset',
})

/** Schema of a timestamp as the reference server sends it: ISO 8601 in UTC with milliseconds, `2026-01-01T10:00:00.000Z`. */
export const UtcTimestamp = /* @__PURE__ */ text({
  pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  form: 'an ISO 8601 date-time in UTC with milliseconds',
})
