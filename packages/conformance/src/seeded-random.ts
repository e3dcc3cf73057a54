/** The source of all random choices in a run, reproducible from its seed. */
export type Random = {
  /** Returns an integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number
  /** Returns this many bytes. */
  bytes(length: number): Buffer
}

/** Creates a source of random choices from a seed. Not for secrets. */
export const createRandom = (seed: number): Random => {
  const next = createSeededRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))) }
}

/** Returns a seeded generator of numbers from 0 (inclusive) to 1 (exclusive) (mulberry32). Not for secrets. */
export const createSeededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
