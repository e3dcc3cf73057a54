/** `wall` returns the time of day, and `monotonic` the time since an arbitrary moment, both in milliseconds. */
type Clocks = { readonly wall: () => number; readonly monotonic: () => number }

// Read once, because fake timers of a test replace them, and the database's clock stays real. Programs without an inbox
// import this module, too, and may have no `performance`.
const [RealDate, monotonic] = [Date, globalThis.performance?.now.bind(performance)]
const machine: Clocks = { wall: () => RealDate.now(), monotonic: () => monotonic() }

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
