import { longestTimerMs } from '../options/clock.ts'

/** The signal of one attempt: aborts with the caller's signal, or when the attempt's time is over. */
export type AttemptSignal = {
  readonly signal: AbortSignal
  /** Whether the time was over before anything else ended the attempt. */
  timedOut(): boolean
  /** Removes timer and listener. */
  close(): void
}

/** Opens the signal of an attempt that may take `ms` milliseconds of real time. */
export const openAttemptSignal = (parent: AbortSignal | undefined, ms: number): AttemptSignal => {
  const controller = new AbortController()
  let timedOut = false
  const expire = () => {
    timedOut = !controller.signal.aborted
    controller.abort()
  }
  const follow = () => controller.abort(parent?.reason)
  const timer = ms > longestTimerMs ? undefined : setTimeout(expire, ms)
  parent?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    close: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', follow)
    },
  }
}
