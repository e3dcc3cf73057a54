import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'

/** Formats Unix time in milliseconds as ISO 8601 in UTC. */
export const utc = (time: number): string => new Date(time).toISOString()

/** A time in a response, which records store as Unix time in milliseconds. */
export const Utc = z.codec(UtcTimestamp, z.number(), { decode: Date.parse, encode: utc })
export const UtcOrNull = z.nullable(Utc)

/** Formats a time for a sentence, with the date unless it is the same as that of `now`. */
export const formatMoment = (time: number, now: number): string => {
  const [date, clock = ''] = utc(time).split('T')
  const moment = `${clock.slice(0, 8)} UTC`
  return utc(now).startsWith(`${date}T`) ? moment : `${date} ${moment}`
}
