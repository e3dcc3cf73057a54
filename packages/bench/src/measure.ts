/** The cost of a round that `run` measures itself, in microseconds per operation. */
export type Cost = { readonly time: number; readonly cpu?: number }

type Measured = Required<Cost>

export type Contender = {
  readonly name: string
  /** The contender that does only the necessary work. */
  readonly floor?: string | undefined
  /** Prepares a round. It is not measured. */
  readonly prepare?: (count: number) => void | Promise<void>
  /** Performs the operation `count` times. */
  readonly run: (count: number) => unknown
  /**
   * Returns the CPU time used so far, in microseconds.
   * @default that of this process
   */
  readonly readCpu?: (() => number | Promise<number>) | undefined
}

/** The time per operation of a contender. Times are in microseconds. */
export type Row = {
  readonly name: string
  /** Median of the rounds. */
  readonly time: number
  /** Quartiles of the rounds. */
  readonly spread: readonly [from: number, to: number]
  /** CPU time, or `null` if it is unknown. */
  readonly cpu: number | null
  readonly floor: string | null
  /** Throughput relative to the floor: the median of the per-round ratios. */
  readonly ofFloor: number | null
}

export type MeasureOptions = {
  /** Number of operations per contender and round. */
  readonly count: number
  /** @default 15 */
  readonly rounds?: number
  /**
   * Number of unmeasured rounds at the start.
   * @default 2
   */
  readonly warmUpRounds?: number
}

/** Returns a quantile of the values, interpolated between the two nearest ones. */
export const computeQuantile = (figures: readonly number[], share: number): number => {
  const sorted = figures.toSorted((left, right) => left - right)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below === above ? below : below + (above - below) * (position - Math.floor(position))
}

export const median = (figures: readonly number[]): number => computeQuantile(figures, 0.5)

const readOwnCpu = (): number => {
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
 * Measures contenders in interleaved rounds, in random order, so that a slow period affects them all. On a busy
 * machine, many short rounds are more reliable than a few long ones.
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
    // The mean, because the CPU time of other processes is counted in steps of 10 ms.
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

/** Creates a row from figures that do not come from `measure`, such as latencies, in microseconds. */
export const toRow = (name: string, figures: readonly number[], base?: Row): Row => ({
  name,
  time: median(figures),
  spread: [Math.min(...figures), Math.max(...figures)],
  cpu: null,
  floor: base?.name ?? null,
  ofFloor: base === undefined ? null : base.time / median(figures),
})
