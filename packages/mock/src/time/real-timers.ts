// Taken when the module is loaded, so that fake timers that a test installs later do not stop the mock.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Fake timers that were there first (jest's `enableGlobally`) give themselves away by their clock. */
const isFake = 'clock' in startTimer

/**
 * Calls `run` after so many milliseconds of real time.
 *
 * @returns stops it.
 */
export const afterRealTime = (ms: number, run: () => void): (() => void) => {
  if (isFake) {
    // The one timer of the platform that is never faked. It keeps no process alive, but test runners live anyway.
    const signal = AbortSignal.timeout(ms)
    signal.addEventListener('abort', run)
    return () => signal.removeEventListener('abort', run)
  }
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
