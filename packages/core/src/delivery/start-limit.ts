/**
 * Spreads the attempts of a subscription that has `maxAttemptsPerSecond`. With a limit of `n`, at most `⌈n⌉` start in
 * any `⌈n⌉ / n` seconds; if `n` is a whole number, at most `n` in any second.
 *
 * The limit comes from the subscription as loaded for each attempt, so that no attempt starts under an outdated limit.
 */
export type StartLimit = ReturnType<typeof createStartLimit>

/** How long a start counts, in milliseconds. This covers the minimum limit, 0.01 per second. */
const memoryMs = 100_000

export const createStartLimit = () => {
  /** The times of recent starts. */
  const starts: number[] = []
  let perSecond = 1
  let isNextAllowed = false
  let picked = 0

  const findNext = (): number => {
    // Late timers must not cost throughput, so starts are slightly closer together than the limit requires on average.
    const pauseMs = Math.max(0, 900 / perSecond - 2)
    const first = starts.at(picked - Math.ceil(perSecond)) ?? -Infinity
    if (picked > 0 && (pauseMs > 0 || picked >= perSecond)) return Infinity
    return Math.max(
      first + (Math.ceil(perSecond) / perSecond) * 1_000,
      (starts.at(-1) ?? -Infinity) + pauseMs,
    )
  }

  return {
    /** Returns when the next delivery can be picked; `Infinity` while that depends on one being loaded. */
    nextAt: () => (isNextAllowed ? -Infinity : findNext()),
    /** Records that a delivery was picked and is being loaded. */
    pick: (): void => {
      picked++
    },
    /** Records that all picked deliveries are loaded. */
    endLoading: (): void => {
      picked = 0
    },
    /** Counts a start, if it is allowed. */
    start: (current: number, now: number): boolean => {
      perSecond = current
      isNextAllowed = false
      if (findNext() > now) return false
      starts.push(now)
      starts.splice(0, starts.length - Math.ceil(perSecond))
      return true
    },
    /**
     * Allows picks regardless of the limit until one of them is loaded. The limit may have changed, and the scheduler
     * learns its new value only by loading a delivery.
     */
    allowNext: (): void => {
      isNextAllowed = true
    },
    /** Returns whether earlier starts no longer count, so that the limit can be forgotten. */
    isOver: (now: number) => (starts.at(-1) ?? -Infinity) + memoryMs <= now,
  }
}
