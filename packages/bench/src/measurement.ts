/** Time that an operation of a contender takes, in nanoseconds. */
export type Measurement = {
  readonly name: string
  /** Median of the rounds. */
  readonly median: number
  /** Quartiles of the rounds. */
  readonly quartiles: readonly [number, number]
  /** The rounds, in order. */
  readonly rounds: readonly number[]
}

const computeQuantile = (sorted: readonly number[], share: number): number => {
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

/** Returns the median. */
export const median = (figures: readonly number[]): number =>
  computeQuantile(
    figures.toSorted((a, b) => a - b),
    0.5,
  )

/** Computes the median and the quartiles of rounds. */
export const summarize = (name: string, rounds: readonly number[]): Measurement => {
  const sorted = rounds.toSorted((a, b) => a - b)
  return {
    name,
    median: computeQuantile(sorted, 0.5),
    quartiles: [computeQuantile(sorted, 0.25), computeQuantile(sorted, 0.75)],
    rounds,
  }
}

/** Returns the median of the ratios of two contenders, round by round. */
export const medianRatio = (left: Measurement, right: Measurement): number =>
  median(left.rounds.map((figure, round) => figure / (right.rounds[round] ?? Number.NaN)))
