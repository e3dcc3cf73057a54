/** A source of randomness: each call gives a number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
export type Random = () => number

/** A {@link Random} made of the platform's cryptographic generator, read 256 numbers at a time. */
export const createSecureRandom = (): Random => {
  const numbers = new Uint32Array(256)
  let next = numbers.length
  return () => {
    if (next === numbers.length) {
      crypto.getRandomValues(numbers)
      next = 0
    }
    return (numbers[next++] ?? 0) / 2 ** 32
  }
}
