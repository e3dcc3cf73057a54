import { longestTimerMs } from '@wabakit/wire'

/** The client's source of time. Replace it in tests, so that waits take no real time. */
export type Clock = {
  /** Returns the time in milliseconds since the Unix epoch. */
  now(): number
  /**
   * Resolves after `ms` milliseconds. When `signal` aborts, remove the timer. The promise need not settle then, because
   * the client no longer waits for it.
   */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/**
 * A clock that also measures durations. Where `performance` is available, `elapsed` ignores changes of the system time. The
 * durations of a clock that was passed in are those of its `now`.
 */
export type MonotonicClock = Clock & { elapsed(): number }

const sleep: Clock['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, Math.min(ms, longestTimerMs))
    signal?.addEventListener('abort', finish)
  })

export const createClock = (clock: Clock | undefined): MonotonicClock =>
  clock
    ? {
        now: () => clock.now(),
        elapsed: () => clock.now(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      }
    : { now: () => Date.now(), elapsed: () => globalThis.performance?.now() ?? Date.now(), sleep }
