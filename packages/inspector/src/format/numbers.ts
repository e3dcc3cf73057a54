import { getNow } from '../state/now.ts'
import { formatDuration } from './time.ts'

const counts = new Intl.NumberFormat('en-US')
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** Formats a count; `null` is unknown. */
export const formatCount = (count: number | null): string => (count === null ? '–' : counts.format(count))

/** Formats a count for an axis, where there is little room: `12.5K`. */
export const formatShort = (count: number): string => short.format(count)

/** Formats a rate from 0 to 1. Never rounds up to 100 %, because that would hide failures. */
export const formatRate = (rate: number | null): string => {
  if (rate === null) return '–'
  const percent = Math.floor(rate * 1_000) / 10
  return `${percent} %`
}

/** Formats the bound of a latency bucket; `null` if there was no attempt. */
export const formatLatency = (ms: number | null): string => (ms === null ? '–' : `≤ ${formatDuration(ms)}`)

/** Formats the time since a moment, such as that of the oldest delivery in a backlog. */
export const formatAge = (at: string | null): string =>
  at === null ? '' : formatDuration(Math.max(0, getNow() - Date.parse(at)))
