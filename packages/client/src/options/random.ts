/**
 * Numbers from 0 (inclusive) to 1 (exclusive), from the platform's cryptographic generator where there is one: ids
 * must also differ between copies of one process. React Native has none.
 */
export const defaultRandom = (): number =>
  typeof globalThis.crypto?.getRandomValues === 'function'
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
    : Math.random()
