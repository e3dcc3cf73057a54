/** Inclusive bounds. */
export type Range = readonly [low: number, high: number]

export type NonEmpty<Item> = readonly [Item, ...Item[]]

export type Draws = ReturnType<typeof createDraws>

/** Mixes bits with the last step of MurmurHash3: every input bit affects every output bit. */
const mix = (value: number): number => {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

const goldenRatio = 0x9e3779b9

const hash = (text: string, seed: number): number => {
  let bits = seed
  for (let index = 0; index < text.length; index++) {
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193)
  }
  return mix(bits)
}

/**
 * Creates the random numbers of a run. A number depends only on the seed, its label, and the number of earlier draws
 * with this label. So the parts of a cluster do not affect each other's numbers, and a shrunk run stays similar to the
 * original.
 */
export const createDraws = (seed: number) => {
  const start = mix(seed ^ Math.imul(Math.floor(seed / 2 ** 32) + 1, goldenRatio))
  const counts = new Map<string, number>()

  const next = (label: string): number => {
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    return mix(hash(label, start) ^ Math.imul(count, goldenRatio)) / 2 ** 32
  }
  const between = (label: string, [low, high]: Range): number =>
    low + Math.floor(next(label) * (high - low + 1))
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    next,
    /** Returns an integer in the range. */
    between,
    pick: <Item>(label: string, items: NonEmpty<Item>): Item =>
      items[between(label, [0, items.length - 1])] ?? items[0],
    isChosen: (label: string, rate: number): boolean => rate > 0 && next(label) < rate,
    /** Creates a generator for many numbers with one label. */
    stream: (label: string): (() => number) => {
      let state = hash(label, start)
      return () => {
        state = (state + goldenRatio) | 0
        return mix(state) / 2 ** 32
      }
    },
  }
}
