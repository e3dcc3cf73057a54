import { createSeededRandom } from '../seeded-random.ts'

/** Source of everything random in a run, repeatable by its seed. */
export type Random = {
  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number
  /** Returns that many bytes. */
  bytes(length: number): Buffer
}

/** Creates a random source from a seed. It is for choosing attacks, not for secrets. */
export const createRandom = (seed: number): Random => {
  const next = createSeededRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))) }
}
