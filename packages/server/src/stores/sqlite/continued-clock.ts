import type { Clock } from '@wabakit/core'
import { type ClockSources, createServiceClock, maxDriftMs } from '@wabakit/core/hosting'
import type { OpenDatabase } from './open-database.ts'

/** Interval at which the time is written, in milliseconds. */
const noteMs = 60_000

/**
 * Creates a clock that continues the last server's clock. It adds the wall clock time since that server last stored the
 * time, or nothing if the wall clock is now more than a minute (`maxDriftMs`) behind what it showed then.
 *
 * @returns the clock, and a function that stores its time and closes the database.
 */
export const continueClock = (
  { database, checkOwner, close }: OpenDatabase,
  sources: ClockSources = {},
): { readonly clock: Required<Clock>; close(): void } => {
  const { wall = Date.now, onStep = () => {} } = sources
  const last = database.prepare('select service, wall from clock').get()
  const wallNow = wall()
  const lastService = Number(last?.service ?? wallNow)
  const expected = wallNow + lastService - Number(last?.wall ?? wallNow)
  const clock = createServiceClock({
    ...sources,
    startAt: expected < lastService - maxDriftMs ? lastService : expected,
    onStep: (stepMs) => {
      onStep(stepMs)
      // A call of `clock.now()` finds the step. Waits until its caller has the time, because `note` calls `clock.now()`, too.
      queueMicrotask(note)
    },
  })
  const write = database.prepare('replace into clock (id, service, wall) values (1, ?, ?)')

  const note = (): void => {
    try {
      checkOwner()
      write.run(Math.round(clock.now()), Math.round(clock.wall()))
    } catch {
      // For example, the disk is full, or another server has taken over the file. The time stored before remains.
    }
  }
  const timer = setInterval(note, noteMs).unref()
  note()
  return {
    clock,
    close: () => {
      clearInterval(timer)
      note()
      close()
    },
  }
}
