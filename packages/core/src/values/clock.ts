/** A source of time. */
export type Clock = {
  /** Returns the time for schedules, leases, failure windows and retention, as Unix time in milliseconds. */
  now(): number
  /**
   * Returns the time of day, for payloads and signatures, as Unix time in milliseconds. Omit it if it always equals
   * `now()`.
   */
  wall?(): number
}

/** The clocks of a machine. Tests replace them. */
export type ClockSources = {
  /**
   * Returns the time of day, as Unix time in milliseconds. This clock may be stepped.
   * @default Date.now
   */
  readonly wall?: (() => number) | undefined
  /**
   * Returns the milliseconds since an arbitrary moment. This clock is never stepped, but may stop while the machine is
   * suspended.
   * @default performance.now
   */
  readonly elapsed?: (() => number) | undefined
  /**
   * Like `elapsed`, but it never stops. It is read at the start, and when the other two have drifted apart.
   * @default elapsed
   */
  readonly uptime?: (() => number) | undefined
  /**
   * When the clock starts, as Unix time in milliseconds.
   * @default wall()
   */
  readonly startAt?: number | undefined
  /** Called with the milliseconds by which the wall clock was stepped; negative if it was set back. */
  readonly onStep?: ((stepMs: number) => void) | undefined
}

/** Maximum drift between two readings, in milliseconds. If a wall clock drifts more, it was stepped. */
export const maxDriftMs = 60_000

/**
 * Creates a clock that follows the wall clock but ignores its steps of more than a minute ({@link maxDriftMs}). The
 * clock includes time during which the machine was suspended, if `uptime` does. Without it, a long suspension during
 * which `elapsed` stopped looks like a step. See decision 0042.
 *
 * @example
 * const clock = createServiceClock({ onStep: (stepMs) => console.warn(`The clock was moved by ${stepMs} ms.`) })
 */
export const createServiceClock = ({
  wall = () => Date.now(),
  elapsed = () => performance.now(),
  uptime = elapsed,
  startAt = wall(),
  onStep = () => {},
}: ClockSources = {}): Required<Clock> => {
  const countSuspended = (): number => uptime() - elapsed()
  let suspended = countSuspended()
  let lastWall = wall()
  let lastElapsed = elapsed()
  let ahead = startAt - lastWall

  return {
    wall,
    now: () => {
      const wallNow = wall()
      const elapsedNow = elapsed()
      let drift = wallNow - lastWall - (elapsedNow - lastElapsed)
      lastWall = wallNow
      lastElapsed = elapsedNow
      if (Math.abs(drift) > maxDriftMs) {
        const before = suspended
        suspended = countSuspended()
        drift -= suspended - before
        if (Math.abs(drift) > maxDriftMs) {
          const step = Math.round(drift)
          ahead -= step
          onStep(step)
        }
      }
      return wallNow + ahead
    },
  }
}

/** Returns the time of day according to a clock, as Unix time in milliseconds. */
export const readWallClock = (clock: Clock): number => clock.wall?.() ?? clock.now()

/** Returns a clock whose times have no fractions of a millisecond. */
export const roundDown = (clock: Clock): Clock => ({
  now: () => Math.floor(clock.now()),
  wall: () => Math.floor(readWallClock(clock)),
})

/** The last formatted time, cached because under load many events happen in the same millisecond. */
let formatted = { time: Number.NaN, text: '' }

/** Formats a Unix time in milliseconds as ISO 8601 in UTC with milliseconds. */
export const toUtcTimestamp = (time: number): string => {
  if (time !== formatted.time) formatted = { time, text: new Date(time).toISOString() }
  return formatted.text
}

/** Starts a timer. It does not keep the process alive, even in runtimes whose timers do. */
export const startBackgroundTimer = (callback: () => void, ms: number): ReturnType<typeof setTimeout> => {
  const timer = setTimeout(callback, ms)
  Object(timer).unref?.()
  return timer
}
