import { longestTimerMs } from '../time-limit.ts'

/**
 * Creates a signal between loops. `wait` resolves at the next ring, after `maxMs`, or at once if the bell has rung
 * since `count` returned `seen`.
 */
export const createBell = () => {
  let rings = 0
  const waiting = new Set<() => void>()
  return {
    count: (): number => rings,
    ring: (): void => {
      rings += 1
      for (const proceed of waiting) proceed()
    },
    wait: (seen: number, maxMs: number): Promise<void> =>
      new Promise((resolve) => {
        if (rings !== seen) return resolve()
        const proceed = (): void => {
          clearTimeout(timer)
          waiting.delete(proceed)
          resolve()
        }
        const timer = setTimeout(proceed, Math.min(maxMs, longestTimerMs))
        waiting.add(proceed)
      }),
  }
}
