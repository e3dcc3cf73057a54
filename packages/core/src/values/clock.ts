/** Returns the current time. */
export type Clock = {
  /** Returns the current time, as Unix time in milliseconds. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** Formats a Unix time in milliseconds as ISO 8601 in UTC with milliseconds. */
export const toUtcTimestamp = (time: number): string => new Date(time).toISOString()
