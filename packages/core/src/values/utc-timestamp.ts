/** A time as this server tells it: ISO 8601 in UTC with milliseconds. `time` is Unix time in milliseconds. */
export const utcTimestamp = (time: number): string => new Date(time).toISOString()
