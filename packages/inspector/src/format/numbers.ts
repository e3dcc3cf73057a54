import { getNow } from '../state/now.ts'
import { formatDuration } from './time.ts'

/** Formats a count as `12,540`; `null` is unknown. */
export const formatCount = (count: number | null): string =>
  count === null ? '–' : String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

const sizes = [
  ['B', 1e9],
  ['M', 1e6],
  ['K', 1e3],
  ['', 1],
] as const

/** Formats a count for an axis, where there is little room: `12.5K`. */
export const formatShort = (count: number): string => {
  // A count that would be rounded up to 1000 of a unit has the next unit: 999,950 is 1M, not 1000K.
  const [unit, size] = sizes.find(([, least]) => count >= least * 0.99995) ?? sizes[3]
  return `${Math.round((count / size) * 10) / 10}${unit}`
}

/** Formats a rate from 0 to 1. Never rounds up to 100 %, because that would hide failures. */
export const formatRate = (rate: number | null): string => {
  if (rate === null) return '–'
  const percent = Math.floor(rate * 1_000) / 10
  return `${percent} %`
}

/** Formats the bound of a latency bucket; `null` if there was no attempt. */
export const formatLatency = (ms: number | null): string =>
  ms === null ? '–' : `≤\u00a0${formatDuration(ms)}`

/** Formats the time since a moment, such as that of the oldest delivery in a backlog. */
export const formatAge = (at: string | null): string =>
  at === null ? '' : formatDuration(Math.max(0, getNow() - Date.parse(at)))
