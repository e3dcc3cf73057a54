import { longestTimerMs } from '@wabakit/wire'

/**
 * Creates a notifier that wakes waiting loops. `wait` resolves at the next notification, after `maxMs` or 24 days,
 * or at once if there was a notification since `count` returned `seen`.
 */
export const createNotifier = () => {
  let notifications = 0
  const waiting = new Set<() => void>()
  return {
    count: (): number => notifications,
    notify: (): void => {
      notifications += 1
      for (const proceed of waiting) proceed()
    },
    wait: (seen: number, maxMs: number): Promise<void> =>
      new Promise((resolve) => {
        if (notifications !== seen) return resolve()
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
