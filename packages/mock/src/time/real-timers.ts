// Taken when the module is loaded, so that fake timers that a test installs later do not stop the mock.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Whether fake timers were installed earlier, for example by jest's `enableGlobally`. They have a `clock`. */
const isFake = 'clock' in startTimer

/**
 * Calls `run` after some milliseconds of real time.
 *
 * @returns a function that cancels it.
 */
export const afterRealTime = (ms: number, run: () => void): (() => void) => {
  if (isFake) {
    // Fake timers never replace this timer. It does not keep a process alive, but a test runner does.
    const signal = AbortSignal.timeout(ms)
    signal.addEventListener('abort', run)
    return () => signal.removeEventListener('abort', run)
  }
  const timer = startTimer(run, ms)
  return () => stopTimer(timer)
}

/** Resolves after some milliseconds of real time; rejects with the signal's reason if it is aborted first. */
export const sleepRealTime = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = afterRealTime(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
