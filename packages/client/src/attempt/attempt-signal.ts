import { longestTimerMs } from '../options/clock.ts'

/** Opens a signal for one attempt. It aborts with the caller's signal, or when the time limit is reached. */
export const openAttemptSignal = (parent: AbortSignal | undefined, timeoutMs: number) => {
  const controller = new AbortController()
  let timedOut = false
  const expire = () => {
    timedOut = !controller.signal.aborted
    controller.abort()
  }
  const follow = () => controller.abort(parent?.reason)
  const timer = timeoutMs > longestTimerMs ? undefined : setTimeout(expire, timeoutMs)
  parent?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    /** Whether the time limit ended the attempt, before anything else did. */
    timedOut: () => timedOut,
    /** Removes the timer and the listener. */
    close: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', follow)
    },
  }
}
