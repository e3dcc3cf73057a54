import { longestTimerMs } from '@wabakit/wire'

// Saved when the module is loaded, so that fake timers installed later do not stop the mock.
const { setTimeout: startRealTimer, clearTimeout: stopRealTimer } = globalThis

/**
 * Returns whether the saved timers are fake: installed before this module was loaded, or by Bun, which fakes
 * its own timers in place. Fake timers have a `clock`.
 */
const isFake = (): boolean => 'clock' in startRealTimer

/** Starts a timer that fake timers do not affect. It does not keep the process alive; the test runner does. */
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
 * Calls `run` after `ms` milliseconds of real time, at most {@link longestTimerMs}.
 *
 * @returns a function that cancels it.
 */
export const afterRealTime = (ms: number, run: () => void): (() => void) => {
  const delayMs = Math.min(ms, longestTimerMs)
  if (isFake()) return startHiddenTimer(delayMs, run)
  const timer = startRealTimer(run, delayMs)
  return () => stopRealTimer(timer)
}

/**
 * Calls `run` after `ms` milliseconds, at most {@link longestTimerMs}, with the currently installed timers, real or fake.
 * Returns a function that cancels it.
 */
export const afterMachineTime: typeof afterRealTime = (ms, run) => {
  const { setTimeout, clearTimeout } = globalThis
  const timer = setTimeout(run, Math.min(ms, longestTimerMs))
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

/** Resolves after `ms` milliseconds of real time, as `afterRealTime` counts them; rejects with the signal's reason if it is aborted first. */
export const sleepRealTime = createSleep(afterRealTime)

/** Like `sleepRealTime`, with the currently installed timers, real or fake. */
export const sleepMachineTime = createSleep(afterMachineTime)
