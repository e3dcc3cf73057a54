/** Time, as the client sees it. Replace it in tests, so that waits cost nothing. */
export type Clock = {
  /** The time in milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Resolves after `ms` milliseconds. When `signal` aborts, the timer should go; whether the promise then settles
   * does not matter, the client stops waiting by itself.
   */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** The clock inside the client: `elapsed` measures durations and, unlike `now`, does not step with the wall clock. */
export type Timeline = Clock & { readonly elapsed: () => number }

const sleep: Clock['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })

/** The machine's time, or what is injected in its place. */
export const timelineOf = (clock: Clock | undefined): Timeline => ({
  now: clock ? () => clock.now() : Date.now,
  elapsed: clock ? () => clock.now() : () => performance.now(),
  sleep: clock ? (ms, signal) => clock.sleep(ms, signal) : sleep,
})
