import { longestTimerMs } from '@wabakit/wire'
import type { ServedClock } from './served-clock.ts'

/** Maximum duration of a run whose limit is an estimate, in milliseconds, however busy this machine is. */
const maxBusyMs = 1_200_000

type RunTime = {
  readonly clock: Pick<ServedClock, 'now' | 'after'>
  readonly timeoutMs: number | undefined
  /** Returns how long the run may take, if there is no `timeoutMs`. */
  readonly estimateMs: () => number
}

/**
 * Measures the time of a run. A given limit is in real time. An estimate is measured with `clock`, which is slower on a busy
 * machine, like the endpoint: in real time, the estimate could run out before the endpoint has had its time.
 */
export const startRunTime = ({ clock, timeoutMs, estimateMs }: RunTime) => {
  const [startedAt, servedAt] = [performance.now(), clock.now()]
  const getRealLeftMs = (): number => startedAt + (timeoutMs ?? maxBusyMs) - performance.now()
  const getLeftMs = (): number =>
    timeoutMs === undefined
      ? Math.min(servedAt + estimateMs() - clock.now(), getRealLeftMs())
      : getRealLeftMs()
  return {
    getLeftMs,
    /**
     * Calls back once this many milliseconds have passed, or the run is over. If what has been waited meanwhile has extended the estimate,
     * calls back at its end instead. Returns a function that cancels it.
     */
    after: (ms: number, callback: () => void): (() => void) => {
      let cancel: (() => void) | undefined
      const wait = (leftMs: number): void => {
        cancel = clock.after(leftMs, () => {
          const extendedMs = getLeftMs()
          if (extendedMs > 0) wait(extendedMs)
          else callback()
        })
      }
      if (timeoutMs === undefined) wait(ms)
      const timer = setTimeout(callback, Math.min(Math.max(0, getRealLeftMs()), longestTimerMs))
      return () => {
        cancel?.()
        clearTimeout(timer)
      }
    },
  }
}
