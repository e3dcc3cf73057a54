// Taken when the module is loaded, so that fake timers that a test installs later do not stop the mock.
const { setTimeout: startRealTimer, clearTimeout: stopRealTimer } = globalThis

/** Returns whether this timer is fake: of fake timers that were installed earlier, or of Bun, which fakes its own. They have a `clock`. */
const isFake = (): boolean => 'clock' in startRealTimer

/** A timer that no fake timers replace. It does not keep a process alive, but a test runner does. */
const startHiddenTimer = (ms: number, run: () => void): (() => void) => {
  const stop = new AbortController()
  if ('Bun' in globalThis) {
    // Bun fakes AbortSignal.timeout, too.
    const { value } = Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    Promise.resolve(value).then(() => stop.signal.aborted || run())
  } else AbortSignal.timeout(ms).addEventListener('abort', run, { signal: stop.signal })
  return () => stop.abort()
}

/**
 * Calls `run` after some milliseconds of real time.
 *
 * @returns a function that cancels it.
 */
export const afterRealTime = (ms: number, run: () => void): (() => void) => {
  if (isFake()) return startHiddenTimer(ms, run)
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
