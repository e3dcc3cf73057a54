/** A source of random numbers, reproducible from its seed. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns an integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number
  /** Returns `true` with this probability. */
  happens(probability: number): boolean
}

/**
 * Creates a source of random numbers. Uses mulberry32, which takes five lines and passes the usual statistical tests.
 */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (probability) => next() < probability,
  }
}
