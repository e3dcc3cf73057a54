import { type Measurement, summarize } from './measurement.ts'

/** An operation to measure. `run` performs it `count` times. */
export type Contender = {
  readonly name: string
  /** Prepares a round, without being measured. */
  readonly prepare?: (count: number) => void | Promise<void>
  readonly run: (count: number) => void | Promise<void>
}

/** Options for {@link measureRounds}. */
export type RoundOptions = {
  /**
   * Number of rounds. Each contender runs once per round.
   * @default 15
   */
  readonly rounds?: number
  /**
   * Number of rounds before them that are not counted.
   * @default 2
   */
  readonly warmUpRounds?: number
  /** How often a contender performs its operation per round. */
  readonly count: number
}

const shuffle = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)

/**
 * Measures contenders in interleaved rounds, in random order, so that a slow moment of the machine affects all of them. On a
 * busy machine, many short rounds are more reliable than a few long ones.
 */
export const measureRounds = async (
  contenders: readonly Contender[],
  { rounds = 15, warmUpRounds = 2, count }: RoundOptions,
): Promise<Measurement[]> => {
  const figures = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const { name, prepare, run } of shuffle(contenders)) {
      await prepare?.(count)
      const start = process.hrtime.bigint()
      await run(count)
      const nanoseconds = Number(process.hrtime.bigint() - start) / count
      if (round >= 0) figures.get(name)?.push(nanoseconds)
    }
  }
  return contenders.map(({ name }) => summarize(name, figures.get(name) ?? []))
}
