/**
 * How long a `Retry-After` header asks to wait, in milliseconds (RFC 9110 section 10.2.3: seconds, or an HTTP date).
 *
 * @returns 0 when it does not ask, or not in an understandable form.
 */
export const retryAfterOf = (header: string | null, now: number): number => {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
