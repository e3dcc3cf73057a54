/** The signal of one attempt: aborts with the caller's signal, or when the attempt's time is over. */
export type AttemptSignal = {
  readonly signal: AbortSignal
  /** How long the attempt may take, in milliseconds. */
  readonly ms: number
  /** Whether the time was over first. */
  readonly timedOut: () => boolean
  /** Removes timer and listener. */
  readonly close: () => void
}

const longestTimer = 2_147_483_647

/** Opens the signal of an attempt that may take `ms` milliseconds. */
export const openAttemptSignal = (parent: AbortSignal | undefined, ms: number): AttemptSignal => {
  const controller = new AbortController()
  let timedOut = false
  const follow = () => controller.abort(parent?.reason)
  const timer =
    ms > longestTimer
      ? undefined
      : setTimeout(() => {
          timedOut = !controller.signal.aborted
          controller.abort()
        }, ms)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    ms,
    timedOut: () => timedOut,
    close: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', follow)
    },
  }
}
