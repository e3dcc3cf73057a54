import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'

export const UtcOrNull = z.nullable(UtcTimestamp)

/** Formats Unix time in milliseconds as ISO 8601 in UTC. */
export const utc = (time: number): string => new Date(time).toISOString()

/** Formats a time for a sentence, with its date unless it is the date of `now`. */
export const formatMoment = (time: number, now: number): string => {
  const [date, clock = ''] = utc(time).split('T')
  const moment = `${clock.slice(0, 8)} UTC`
  return utc(now).startsWith(`${date}T`) ? moment : `${date} ${moment}`
}

export const utcOrNull = (time: number | null): string | null => (time === null ? null : utc(time))
