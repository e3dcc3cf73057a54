/** The cost of a round, in microseconds per operation. Contenders that measure their own cost return it from `run`. */
export type Cost = { readonly time: number; readonly cpu?: number }

type Measured = Required<Cost>

export type Contender = {
  readonly name: string
  /** The name of the contender that does only the necessary work. */
  readonly floor?: string | undefined
  /** Prepares a round. The preparation is not measured. */
  readonly prepare?: (count: number) => void | Promise<void>
  readonly run: (count: number) => unknown
  /** Returns the CPU time used so far, in microseconds. @default the CPU time of this process */
  readonly readCpu?: (() => number | Promise<number>) | undefined
}

/** The result of a contender. Times are in microseconds per operation. */
export type Row = {
  readonly name: string
  /** The median of the rounds. */
  readonly time: number
  /** The quartiles of the rounds; in a row of `toRow`, the minimum and the maximum. */
  readonly spread: readonly [from: number, to: number]
  /** The CPU time, or `null` if it is unknown. */
  readonly cpu: number | null
  readonly floor: string | null
  /** The throughput relative to the floor: the median of the ratios of all rounds. */
  readonly ofFloor: number | null
}

export type MeasureOptions = {
  /** Number of operations per contender and round. */
  readonly count: number
  /** @default 15 */
  readonly rounds?: number
  /** Number of rounds before the measured ones. @default 2 */
  readonly warmUpRounds?: number
}

/** Computes a quantile, interpolated between the two nearest values. */
export const computeQuantile = (figures: readonly number[], share: number): number => {
  const sorted = figures.toSorted((left, right) => left - right)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below === above ? below : below + (above - below) * (position - Math.floor(position))
}

export const median = (figures: readonly number[]): number => computeQuantile(figures, 0.5)

/** Returns the CPU time of this process, in microseconds. */
export const readOwnCpu = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const shuffle = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item)

const isCost = (value: unknown): value is Cost =>
  typeof value === 'object' && value !== null && 'time' in value

const runRound = async (
  { prepare, run, readCpu = readOwnCpu }: Contender,
  count: number,
): Promise<Measured> => {
  await prepare?.(count)
  const cpuBefore = await readCpu()
  const start = performance.now()
  const cost = await run(count)
  const time = ((performance.now() - start) * 1_000) / count
  const cpu = ((await readCpu()) - cpuBefore) / count
  return isCost(cost) ? { time: cost.time, cpu: cost.cpu ?? Number.NaN } : { time, cpu }
}

/**
 * Measures contenders in interleaved rounds, in random order, so that slow periods of the machine affect all of them.
 * On a busy machine, many short rounds are more reliable than a few long ones.
 */
export const measure = async (
  contenders: readonly Contender[],
  { count, rounds: defaultRounds = 15, warmUpRounds = 2 }: MeasureOptions,
): Promise<Row[]> => {
  const rounds = Number(process.env.BENCH_ROUNDS ?? defaultRounds)
  const costs = new Map(contenders.map(({ name }) => [name, [] as Measured[]]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const contender of shuffle(contenders)) {
      const cost = await runRound(contender, count)
      if (round >= 0) costs.get(contender.name)?.push(cost)
    }
  }
  const listTimes = (name: string): number[] => (costs.get(name) ?? []).map(({ time }) => time)
  return contenders.map(({ name, floor = null }) => {
    const times = listTimes(name)
    // Uses the mean instead of the median, because CPU times of other processes are multiples of 10 ms.
    const cpu = (costs.get(name) ?? []).reduce((sum, each) => sum + each.cpu, 0) / rounds
    const ratios =
      floor === null ? [] : listTimes(floor).map((time, round) => time / (times[round] ?? Number.NaN))
    return {
      name,
      time: median(times),
      spread: [computeQuantile(times, 0.25), computeQuantile(times, 0.75)],
      cpu: Number.isNaN(cpu) ? null : cpu,
      floor,
      ofFloor: floor === null ? null : median(ratios),
    }
  })
}

export const findRow = (rows: readonly Row[], name: string): Row => {
  const row = rows.find((each) => each.name === name)
  if (row === undefined) throw new Error(`${name} was not measured.`)
  return row
}

/** Creates a row from figures in microseconds that do not come from `measure`, such as latencies. */
export const toRow = (name: string, figures: readonly number[], base?: Row): Row => ({
  name,
  time: median(figures),
  spread: [Math.min(...figures), Math.max(...figures)],
  cpu: null,
  floor: base?.name ?? null,
  ofFloor: base === undefined ? null : base.time / median(figures),
})
