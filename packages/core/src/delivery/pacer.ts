import type { Clock } from '../values/clock.ts'

/** Limits how many jobs start at once. */
export type Pacer = {
  /** Returns the number of jobs that may start now. */
  countAllowed(): number
  /** Must be called when jobs start. No more may start until the time of a whole burst is over. */
  count(started: number): void
}

export type PacerOptions = {
  /** Maximum number of jobs that start together. */
  readonly burst: number
  /** Time for each job of a burst, in milliseconds. */
  readonly pauseMs: number
  readonly clock: Clock
  /** Called when more jobs may start. */
  onAllowed(): void
}

export const createPacer = ({ burst, pauseMs, clock, onAllowed }: PacerOptions): Pacer => {
  const intervalMs = burst * pauseMs
  let isPausing = false
  let dueAt = 0
  return {
    countAllowed: () => (isPausing ? 0 : burst),
    count: (started) => {
      if (started === 0) return
      isPausing = true
      const now = clock.now()
      // Catches up on late timers and slow claims, but not on idle time or a clock that was moved.
      dueAt = Math.min(Math.max(dueAt, now - intervalMs), now) + intervalMs
      setTimeout(
        () => {
          isPausing = false
          onAllowed()
        },
        Math.max(0, dueAt - now),
      )
    },
  }
}
