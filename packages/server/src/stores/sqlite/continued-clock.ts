import type { Clock } from '@wabakit/core'
import { type ClockSources, createServiceClock, maxDriftMs } from '@wabakit/core/hosting'
import type { OpenDatabase } from './open-database.ts'

/** Interval in which the time is written, in milliseconds. */
const noteMs = 60_000

/**
 * Creates a clock that continues from where the clock of the last server stopped: later by the time that has passed since
 * then on the wall clock. If the wall clock was set back in the meantime, no time has passed.
 *
 * @returns the clock, and a function that notes its time and closes the database.
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
      // Written only after the caller has its time.
      queueMicrotask(note)
    },
  })
  const write = database.prepare('replace into clock (id, service, wall) values (1, ?, ?)')

  const note = (): void => {
    try {
      checkOwner()
      write.run(Math.round(clock.now()), Math.round(clock.wall()))
    } catch {
      // The file is locked, or the disk is full. The next note makes up for it.
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
