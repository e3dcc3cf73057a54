/**
 * The wait that a `Retry-After` header asks for, in milliseconds: whole seconds or an HTTP date (RFC 9110, section
 * 10.2.3). A date in the past is 0. `undefined` when the header is absent, negative or unreadable.
 */
export const retryAfterMsOf = (headers: Headers, now: () => number): number | undefined => {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER)
  // Date.parse alone would also take "-5" and "2" for years.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now())
}
