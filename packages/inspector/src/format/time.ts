import { getNow } from '../state/now.ts'

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

// The first use of Intl takes longer than all else that the page's script does before the first view, so nothing here uses it.
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const nameDay = (time: Date): string => `${months[time.getMonth()]} ${time.getDate()}`

/** Formats the time of day in the local time zone: `12:05:10.042`. */
export const formatTime = (iso: string): string => {
  const time = new Date(iso)
  const seconds = `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`
  return `${seconds}.${pad(time.getMilliseconds(), 3)}`
}

/** Formats a date as `Nov 22`. Returns an empty string for today. */
export const formatDay = (iso: string): string => {
  const time = new Date(iso)
  return time.toDateString() === new Date(getNow()).toDateString() ? '' : nameDay(time)
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
export const formatFull = (iso: string): string => {
  const time = new Date(iso)
  return `${nameDay(time)}, ${time.getFullYear()} ${formatTime(iso)} ${getZone(time)}`
}

const nameDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`
  const first = units.findIndex(([, length]) => ms >= length)
  const [unit, length] = units[first] ?? units[3]
  const [nextUnit, nextLength] = units[first + 1] ?? []
  const whole = Math.floor(ms / length)
  const rest = nextLength === undefined ? 0 : Math.floor((ms - whole * length) / nextLength)
  return rest > 0 ? `${whole} ${unit} ${rest} ${nextUnit}` : `${whole} ${unit}`
}

/** Formats a duration in its two largest units, in one line: `42 ms`, `3.2 s`, `4 m 55 s`, `1 d 2 h`. */
export const formatDuration = (ms: number): string => nameDuration(ms).replaceAll(' ', '\u00a0')
