import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** One thing that is measured: its setup is done, `run` does it `count` times. */
export type Contender = {
  readonly name: string
  /** What must be there before a round; it is not measured. */
  readonly prepare?: (count: number) => void | Promise<void>
  readonly run: (count: number) => void | Promise<void>
}

/** Options of {@link measureRounds}. */
export type RoundOptions = {
  /**
   * Rounds in which every contender has its turn.
   * @default 15
   */
  readonly rounds?: number
  /**
   * Rounds before those, which are not counted.
   * @default 2
   */
  readonly warmUpRounds?: number
  /** How often a contender does its thing in one round. */
  readonly count: number
}

/** What a contender took, in nanoseconds for one time. */
export type Measurement = {
  readonly name: string
  /** Median of the rounds. */
  readonly median: number
  /** Quartiles of the rounds. */
  readonly quartiles: readonly [number, number]
  /** Each round, in order. */
  readonly rounds: readonly number[]
}

const quantile = (sorted: readonly number[], share: number): number => {
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

/** The median of some figures. */
export const median = (figures: readonly number[]): number =>
  quantile(
    figures.toSorted((a, b) => a - b),
    0.5,
  )

/** Rounds, and their median and quartiles. */
export const summarize = (name: string, rounds: readonly number[]): Measurement => {
  const sorted = rounds.toSorted((a, b) => a - b)
  return {
    name,
    median: quantile(sorted, 0.5),
    quartiles: [quantile(sorted, 0.25), quantile(sorted, 0.75)],
    rounds,
  }
}

/** The median of the ratios of two contenders' rounds, which were measured next to each other. */
export const medianRatio = (left: Measurement, right: Measurement): number =>
  median(left.rounds.map((figure, round) => figure / (right.rounds[round] ?? Number.NaN)))

const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)

/**
 * Measures contenders side by side: in every round each has its turn, in a new order, so that a slow moment of the
 * machine hits all of them. Many short rounds stand a busy machine better than few long ones.
 */
export const measureRounds = async (
  contenders: readonly Contender[],
  { rounds = 15, warmUpRounds = 2, count }: RoundOptions,
): Promise<Measurement[]> => {
  const taken = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const { name, prepare, run } of shuffled(contenders)) {
      await prepare?.(count)
      const start = process.hrtime.bigint()
      await run(count)
      const nanoseconds = Number(process.hrtime.bigint() - start) / count
      if (round >= 0) taken.get(name)?.push(nanoseconds)
    }
  }
  return contenders.map(({ name }) => summarize(name, taken.get(name) ?? []))
}

/** What it is measured on. */
export const machine = () => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
})

/** Prints measurements as a table, with their speed relative to the first, and writes them as JSON to `results/`. */
export const report = (
  title: string,
  file: string,
  measurements: readonly Measurement[],
  facts: object = {},
): void => {
  const [base] = measurements
  if (base === undefined) return
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      measurements.map((each) => [
        each.name,
        {
          'µs each': Number((each.median / 1000).toFixed(2)),
          'middle half': each.quartiles.map((figure) => (figure / 1000).toFixed(2)).join(' – '),
          [`speed against ${base.name}`]: Number(medianRatio(base, each).toFixed(2)),
        },
      ]),
    ),
  )
  writeResult(file, { title, machine: machine(), measurements, ...facts })
}

/** Writes a result as JSON to `results/`. */
export const writeResult = (file: string, result: object): void => {
  const folder = new URL('../results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${file}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
}
