import { longestTimerMs } from '@wabakit/wire'

/** Returns `signal.reason`, or a similar error in React Native, where signals have no reason. */
export const getAbortReason = ({ reason }: AbortSignal): unknown =>
  reason === undefined ? Object.assign(new Error('The call was aborted'), { name: 'AbortError' }) : reason

/** Like `signal.throwIfAborted()`, which React Native lacks. */
export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw getAbortReason(signal)
}

/** Waits for `work`, but rejects with the signal's reason when the signal aborts, even if the work ignores it. */
export const raceAbort = async <Value>(
  signal: AbortSignal | undefined,
  work: Promise<Value> | Value,
): Promise<Value> => {
  if (!signal || work === undefined) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(getAbortReason(signal))
  })
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Creates a signal that aborts with the caller's signal, when the time limit is reached, or when it is ended. A limit that
 * timers do not support (over 24 days) counts as none.
 */
export const openSignal = (parent: AbortSignal | undefined, timeoutMs: number) => {
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
    /** Aborts the signal as if the time limit had been reached. */
    end: expire,
    /** Returns whether the time limit or `end` aborted the signal. */
    timedOut: () => timedOut,
    /** Removes the timer and the listener. */
    close: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', follow)
    },
  }
}
