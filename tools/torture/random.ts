import { createSeededRandom } from '../../packages/conformance/src/seeded-random.ts'

/** A source of random numbers, reproducible from its seed. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns an integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number
  /** Returns `true` with this probability. */
  happens(probability: number): boolean
}

export const createRandom = (seed: number): Random => {
  const next = createSeededRandom(seed)
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (probability) => next() < probability,
  }
}
