// Taken when the module is loaded, so that fake timers that a test installs later do not stop the mock.
const { setTimeout: startRealTimer, clearTimeout: stopRealTimer } = globalThis

/** Whether fake timers were installed earlier, for example by jest's `enableGlobally`. They have a `clock`. */
const isFake = 'clock' in startRealTimer

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
  const timer = startRealTimer(run, ms)
  return () => stopRealTimer(timer)
}

/** Calls `run` after some milliseconds with the timers that are installed now, real or fake. Returns a function that cancels it. */
export const afterMachineTime: typeof afterRealTime = (ms, run) => {
  const { setTimeout, clearTimeout } = globalThis
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

const createSleep =
  (startTimer: typeof afterRealTime) =>
  (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = startTimer(ms, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })

/** Resolves after some milliseconds of real time; rejects with the signal's reason if it is aborted first. */
export const sleepRealTime = createSleep(afterRealTime)

/** The same, with the timers that are installed now, real or fake. */
export const sleepMachineTime = createSleep(afterMachineTime)
