import type { Random } from '../values/ids.ts'

/** Hashes a string to 32 bits (FNV-1a with a final mix). */
const hash = (text: string): number => {
  let bits = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193)
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  return (bits ^ (bits >>> 13)) >>> 0
}

/**
 * Creates a generator (sfc32) whose numbers are the same for the same `parts`, in every release. Give each use its own
 * parts, so that a use added later does not change the numbers of the others.
 */
export const createSeededRandom = (...parts: readonly (string | number)[]): Random => {
  const name = parts.join('/')
  let [a, b, c, counter] = [hash(`a${name}`), hash(`b${name}`), hash(`c${name}`), 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 12; round++) next()
  return next
}

export const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0]

/** Returns a whole number from `least` to `most`, inclusive. */
export const pickInteger = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1))
