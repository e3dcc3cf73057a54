import { getNow } from '../state/now.ts'

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

// These formats are shared, because creating one takes longer than rendering a row.
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

/** Formats the time of day in the local time zone: `12:05:10.042`. */
export const formatTime = (iso: string): string => {
  const time = new Date(iso)
  const seconds = `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`
  return `${seconds}.${pad(time.getMilliseconds(), 3)}`
}

/** Formats a date as `Nov 22`. Returns an empty string for today. */
export const formatDay = (iso: string): string => {
  const time = new Date(iso)
  return time.toDateString() === new Date(getNow()).toDateString() ? '' : day.format(time)
}

/** Formats the local time zone: `UTC+02:00`. */
export const getZone = (at = new Date()): string => {
  const minutes = -at.getTimezoneOffset()
  const [sign, size] = [minutes < 0 ? '-' : '+', Math.abs(minutes)]
  return minutes === 0 ? 'UTC' : `UTC${sign}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** Formats a time with its date and time zone: `Nov 22, 2026 12:05:10.042 UTC+02:00`. */
export const formatFull = (iso: string): string =>
  `${date.format(new Date(iso))} ${formatTime(iso)} ${getZone(new Date(iso))}`

/** Formats a duration in its two largest units: `42 ms`, `3.2 s`, `4 m 55 s`, `1 d 2 h`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`
  const first = units.findIndex(([, length]) => ms >= length)
  const [unit, length] = units[first] ?? units[3]
  const [nextUnit, nextLength] = units[first + 1] ?? []
  const whole = Math.floor(ms / length)
  const rest = nextLength === undefined ? 0 : Math.floor((ms - whole * length) / nextLength)
  return rest > 0 ? `${whole} ${unit} ${rest} ${nextUnit}` : `${whole} ${unit}`
}
