import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'

/** A time, or `null` when it is unset. */
export const UtcOrNull = z.nullable(UtcTimestamp)

/** A time of a record (Unix time in milliseconds) as the control API shows it: ISO 8601 in UTC with milliseconds. */
export const utc = (time: number): string => new Date(time).toISOString()

/** Like `utc`, for what may be unset. */
export const utcOrNull = (time: number | null): string | null => (time === null ? null : utc(time))
