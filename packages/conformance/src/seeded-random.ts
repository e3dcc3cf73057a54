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

/** Creates a source of random bytes from a seed. Not for secrets. */
export const createRandom = (seed: number) => {
  const next = createSeededRandom(seed)
  return {
    bytes: (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(next() * 256))),
  }
}
