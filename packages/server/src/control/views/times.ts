import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'

export const UtcOrNull = z.nullable(UtcTimestamp)

/** Formats Unix time in milliseconds as ISO 8601 in UTC. */
export const utc = (time: number): string => new Date(time).toISOString()

export const utcOrNull = (time: number | null): string | null => (time === null ? null : utc(time))
