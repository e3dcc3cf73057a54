import { abortable } from '../attempt/abortable.ts'
import type { Timeline } from '../options/clock.ts'

/** The time that a call may take. */
export type Budget = {
  /** What is left, in milliseconds. */
  leftMs(): number
  /** Waits `ms` milliseconds, or rejects with the reason of an abort at once. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** Starts a budget of `totalMs` milliseconds. A wait counts in full, even on a test's clock that stands still. */
export const startBudget = (timeline: Timeline, totalMs: number): Budget => {
  const started = timeline.elapsed()
  let waitedMs = 0
  return {
    leftMs: () => totalMs - Math.max(waitedMs, timeline.elapsed() - started),
    pause: async (ms, signal) => {
      signal?.throwIfAborted()
      await abortable(signal, timeline.sleep(ms, signal))
      waitedMs += ms
    },
  }
}
