import { MachineDate, readMonotonic } from '../machine-time.ts'

/** `wall` returns the time of day, and `monotonic` the time since an arbitrary moment, both in milliseconds. */
type Clocks = { readonly wall: () => number; readonly monotonic: () => number }

const machine: Clocks = { wall: () => MachineDate.now(), monotonic: () => readMonotonic() }

/**
 * Creates a function that returns how far the machine's clock has been set back, in milliseconds, rounded down to a
 * whole second. SQLite reads that clock, so an entry that was due in a second would be due in an hour and a second after
 * a step of an hour.
 */
export const createSetback = ({ wall, monotonic }: Clocks = machine): (() => number) => {
  let latest = Number.NEGATIVE_INFINITY
  return () => {
    const start = wall() - monotonic()
    latest = Math.max(latest, start)
    return Math.floor((latest - start) / 1_000) * 1_000
  }
}
