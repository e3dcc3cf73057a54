/** Time, as the client sees it. Replace it in tests, so that waits cost nothing. */
export type Clock = {
  /** The time in milliseconds since the Unix epoch. */
  now(): number
  /**
   * Resolves after `ms` milliseconds. When `signal` aborts, the timer should go; whether the promise then settles
   * does not matter, since the client stops waiting by itself.
   */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** The longest delay that runtimes' timers take, in milliseconds; a longer one would fire at once. */
export const longestTimerMs = 2_147_483_647

/** The clock inside the client: `elapsed` measures durations and does not step with the wall clock. */
export type Timeline = Clock & { elapsed(): number }

const sleep: Clock['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(ms, longestTimerMs))
    signal?.addEventListener('abort', done)
  })

/** The machine's time, or what is injected in its place. */
export const timelineOf = (clock: Clock | undefined): Timeline =>
  clock
    ? {
        now: () => clock.now(),
        elapsed: () => clock.now(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      }
    : { now: Date.now, elapsed: () => performance.now(), sleep }
