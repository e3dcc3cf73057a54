/**
 * The wait before repetition `number` (from 1), in milliseconds: anything between 0 and a bound that doubles each
 * time (full jitter), so that clients which failed together do not come back together.
 */
export const backoffMsOf = ([first, last]: readonly [number, number], number: number): number =>
  Math.random() * Math.min(last, first * 2 ** (number - 1))
