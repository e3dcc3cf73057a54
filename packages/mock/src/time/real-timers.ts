// Taken when the module is loaded, so that fake timers of a test that starts later do not stop the mock.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/**
 * Calls `run` after so many milliseconds of real time.
 *
 * @returns stops it.
 */
export const afterRealTime = (ms: number, run: () => void): (() => void) => {
  const timer = startTimer(run, ms)
  return () => stopTimer(timer)
}

/** Resolves after so many milliseconds of real time; rejects with the signal's reason when that is aborted first. */
export const sleepRealTime = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      stop()
      reject(signal?.reason)
    }
    const stop = afterRealTime(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
