/** Tells the time. */
export type Clock = {
  /** The present moment, as Unix time in milliseconds. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
