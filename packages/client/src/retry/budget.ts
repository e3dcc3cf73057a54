import { raceAbort, throwIfAborted } from '../attempt/race-abort.ts'
import type { Timeline } from '../options/clock.ts'

/** Starts a budget of `totalMs` milliseconds. Waits count in full, even on a test clock that stands still. */
export const startBudget = (timeline: Timeline, totalMs: number) => {
  const started = timeline.elapsed()
  let waitedMs = 0
  return {
    leftMs: (): number => totalMs - Math.max(waitedMs, timeline.elapsed() - started),
    /** Waits `ms` milliseconds. Rejects with the reason of an abort at once. */
    pause: async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
      throwIfAborted(signal)
      await raceAbort(signal, timeline.sleep(ms, signal))
      waitedMs += ms
    },
  }
}
