/**
 * Reads a `Retry-After` header: whole seconds or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @param header - the header's value; `null` or `undefined` if there is none.
 * @param now - the current time in milliseconds since the Unix epoch, for dates.
 * @returns the wait in milliseconds, 0 for a date in the past, or `undefined` if the header is absent or invalid.
 * @example
 * parseRetryAfter(response.headers.get('retry-after'), Date.now())
 */
export const parseRetryAfter = (header: string | null | undefined, now: number): number | undefined => {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER)
  // Date.parse alone would also accept "-5" and "2" as years.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
