import * as z from 'zod/mini'

const date = String.raw`\d{4}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])`
const time = String.raw`(?:[01]\d|2[0-4]):?[0-5]\d(?::?(?:[0-5]\d|60)(?:[.,]\d+)?)?`
const zone = String.raw`(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?`
const iso8601 = new RegExp(`^${date}T${time}${zone}$`)

/**
 * An ISO 8601 date-time as vendors write it: seconds, fraction and zone may be missing, the offset may lack its
 * colon (`2026-01-01T10:00`, `…T10:00Z`, `…+0530`). Kept as the string that came, never normalised.
 */
export const Timestamp = z.string().check(z.regex(iso8601, { error: 'must be an ISO 8601 date-time' }))

/** The one form this project's own server emits: ISO 8601 in UTC with milliseconds, `2026-01-01T10:00:00.000Z`. */
export const UtcTimestamp = z.string().check(
  z.regex(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/, {
    error: 'must be an ISO 8601 date-time in UTC with milliseconds',
  }),
)

/** A timestamp field of a lifecycle event, where the vendor writes "unset" as an empty string. */
export const TimestampOrEmpty = z.union([Timestamp, z.literal('')], {
  error: 'must be an ISO 8601 date-time, or empty when unset',
})
