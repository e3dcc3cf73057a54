import { startBackgroundTimer } from '../values/clock.ts'
import type { SchedulerContext } from './states.ts'

/** Maximum timer delay, in milliseconds. */
const maxTimerMs = 60_000

/**
 * While the loop is open, runs `step` once after the current synchronous work, however often it was
 * requested. Callers can wait for its effects.
 */
export type Loop = ReturnType<typeof createLoop>

type LoopOptions = Pick<SchedulerContext, 'clock' | 'onError'> & { step(): void; isDrained(): boolean }

export const createLoop = ({ clock, onError, step, isDrained }: LoopOptions) => {
  const drains: Array<{ resolve(): void; reject(error: unknown): void }> = []
  const idle: Array<{ readonly isIdle: () => boolean; resolve(): void }> = []
  let timer: { readonly at: number; readonly handle: ReturnType<typeof setTimeout> } | undefined
  let isRequested = false

  const run = (): void => {
    isRequested = false
    if (loop.isOpen) step()
    if (drains.length > 0 && isDrained()) for (const { resolve } of drains.splice(0)) resolve()
    for (const waiting of idle.splice(0)) {
      if (waiting.isIdle()) waiting.resolve()
      else idle.push(waiting)
    }
  }

  const stopTimer = (): void => {
    clearTimeout(timer?.handle)
    timer = undefined
  }

  const loop = {
    isOpen: false,
    request: (): void => {
      if (isRequested) return
      isRequested = true
      // Avoids `queueMicrotask`, because the fake timers of test runners replace it.
      void Promise.resolve().then(run)
    },
    wakeAt: (at: number): void => {
      if (timer !== undefined && timer.at <= at) return
      stopTimer()
      const wake = (): void => {
        timer = undefined
        loop.request()
      }
      timer = { at, handle: startBackgroundTimer(wake, Math.min(maxTimerMs, Math.max(0, at - clock.now()))) }
    },
    stopTimer,
    /** Rejects all drains. If there are none, reports the error. */
    fail: (error: unknown): void => {
      if (drains.length === 0) onError(error)
      for (const { reject } of drains.splice(0)) reject(error)
    },
    isDraining: () => drains.length > 0,
    drain: (): Promise<void> => new Promise((resolve, reject) => drains.push({ resolve, reject })),
    waitUntil: (isIdle: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        idle.push({ isIdle, resolve })
        loop.request()
      }),
  }
  return loop
}
