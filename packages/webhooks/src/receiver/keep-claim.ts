import type { Claim } from '../dedupe/dedupe.ts'

/** The longest delay that timers take, in milliseconds. */
const longestDelay = 2 ** 31 - 1

/**
 * Renews a claim every third of its time, so that two renewals may fail before it expires.
 *
 * @returns a function that stops it.
 */
export const keepClaim = (
  claim: Claim,
  ttlMs: number,
  onError: (error: unknown) => unknown,
): (() => void) => {
  const renew = async (): Promise<void> => {
    try {
      if (!(await claim.renew(ttlMs))) clearInterval(timer)
    } catch (error) {
      onError(error)
    }
  }
  const timer = setInterval(renew, Math.min(ttlMs / 3, longestDelay))
  // A handler that hangs must not keep a process from ending. Only Node's timers are objects.
  if (typeof timer === 'object') timer.unref()
  return () => clearInterval(timer)
}
