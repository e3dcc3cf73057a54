import { type Measurement, median, medianRatio, summarize } from '../measurement.ts'
import { type Backlog, type Contents, type Engine, runCycle } from './backlog.ts'

/** How the cost of a delivery grows in one shape of backlog. */
export type Growth = {
  readonly shape: string
  /** Nanoseconds per delivery, by the number of deliveries in the store. */
  readonly points: readonly { readonly deliveries: number; readonly cost: Measurement }[]
  /** Cost with the most deliveries, relative to the fewest. */
  readonly times: number
  /** The same ratio for means instead of medians, which include the rare slow cycles with a checkpoint. */
  readonly timesOfMeans: number
}

const rounds = 15
const cyclesPerRound = 20

type Size = {
  readonly deliveries: number
  readonly backlog: Backlog
  readonly medians: number[]
  readonly means: number[]
}

const computeMean = (figures: readonly number[]): number =>
  figures.reduce((sum, each) => sum + each, 0) / figures.length

const computeRatio = (least: Measurement | undefined, most: Measurement | undefined): number =>
  least && most ? Number(medianRatio(most, least).toFixed(2)) : Number.NaN

/** Measures one shape with each number of deliveries, interleaved, so that a slow moment affects all of them. */
export const measureGrowth = async (
  engine: Engine,
  {
    shape,
    contents,
    sizes: numbers,
  }: { shape: string; contents: (deliveries: number) => Contents; sizes: readonly number[] },
): Promise<Growth> => {
  const sizes: Size[] = []
  for (const deliveries of numbers) {
    const start = performance.now()
    sizes.push({ deliveries, backlog: await engine.fill(contents(deliveries)), medians: [], means: [] })
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    console.log(`${engine.name}, ${deliveries.toLocaleString('en')} ${shape}: filled in ${seconds} s`)
  }
  for (let round = -2; round < rounds; round++) {
    const costs = new Map(sizes.map((size) => [size, [] as number[]]))
    for (let cycle = 0; cycle < cyclesPerRound; cycle++) {
      for (const [{ backlog }, figures] of costs) {
        const { nanoseconds, deliveries } = await runCycle(backlog.store)
        figures.push(nanoseconds / deliveries)
      }
    }
    if (round < 0) continue
    for (const [{ medians, means }, figures] of costs) {
      medians.push(median(figures))
      means.push(computeMean(figures))
    }
  }
  const points = sizes.map(({ deliveries, medians }) => ({
    deliveries,
    cost: summarize(`${deliveries.toLocaleString('en')} ${shape}`, medians),
  }))
  const meansBySize = sizes.map(({ means }) => summarize(shape, means))
  for (const { backlog } of sizes) await backlog.remove()
  return {
    shape,
    points,
    times: computeRatio(points[0]?.cost, points.at(-1)?.cost),
    timesOfMeans: computeRatio(meansBySize[0], meansBySize.at(-1)),
  }
}
