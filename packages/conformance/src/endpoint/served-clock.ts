import { performance } from 'node:perf_hooks'
import { longestTimerMs } from '@wabakit/wire'

/** Milliseconds that have passed, in which this thread had work, and of CPU time that the process has used. */
export type Reading = { readonly passed: number; readonly active: number; readonly cpu: number }

const tickMs = 50

/** Maximum slowdown of this process by a busy machine. Beyond it, a time limit that ran out proves nothing. */
const maxSlowdown = 10

/** Weight of the past in the current slowdown, per tick: about a second counts. */
const memory = 0.95

const readThread = (): Reading => {
  const { user, system } = process.cpuUsage()
  const { active } = performance.eventLoopUtilization()
  return { passed: performance.now(), active, cpu: (user + system) / 1_000 }
}

/**
 * Starts a clock that measures how long an endpoint had, rather than how long this machine took: it stands still while this
 * process is not served, and runs slower when the CPUs are shared. Most time limits of the doctor are measured on it, so that
 * a busy machine makes a run longer and blames no endpoint.
 */
export const startServedClock = (read = readThread) => {
  let last = read()
  let served = last.passed
  let recent = { active: 0, cpu: 0 }
  /** Returns the current slowdown: 1 on an idle machine, and while this thread has no work to measure. */
  const getSlowdown = (): number => Math.max(1, (recent.active + 2) / (recent.cpu + 2))

  /** Converts milliseconds since the last tick. Of a late tick, at most two periods count: in the rest, nothing was served. */
  const limit = (passed: number): number =>
    Math.min(2 * tickMs, passed) / Math.min(maxSlowdown, getSlowdown())

  const tick = (): void => {
    const reading = read()
    recent = {
      active: recent.active * memory + reading.active - last.active,
      cpu: recent.cpu * memory + reading.cpu - last.cpu,
    }
    served += limit(reading.passed - last.passed)
    last = reading
  }
  const timer = setInterval(tick, tickMs).unref()

  const now = (): number => served + limit(read().passed - last.passed)

  return {
    /** Milliseconds of this clock. */
    now,
    /** Returns whether the machine is so busy that a time limit which ran out proves nothing. */
    isTooBusy: (): boolean => getSlowdown() > maxSlowdown,
    /** Calls back once this many milliseconds of this clock have passed. Returns a function that cancels it. */
    after: (ms: number, callback: () => void): (() => void) => {
      const endsAt = now() + ms
      let waiting: NodeJS.Timeout
      const wait = (): void => {
        const restMs = endsAt - now()
        if (restMs <= 0) callback()
        else waiting = setTimeout(wait, Math.min(restMs, longestTimerMs))
      }
      waiting = setTimeout(wait, Math.min(ms, longestTimerMs))
      return () => clearTimeout(waiting)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export type ServedClock = ReturnType<typeof startServedClock>
