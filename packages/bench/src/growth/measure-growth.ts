import { type Measurement, median, medianRatio, summarize } from '../rounds.ts'
import { type Backlog, type Contents, type Engine, runCycle } from './backlog.ts'

/** How cost grows in one shape. */
export type Growth = {
  readonly shape: string
  /** Nanoseconds for each delivery, with so many in the store. */
  readonly points: readonly { readonly deliveries: number; readonly cost: Measurement }[]
  /** Cost with the most, times that with the fewest. */
  readonly times: number
  /** The same of means instead of medians: rare slow cycles, in which a checkpoint falls, count. */
  readonly timesOfMeans: number
}

const rounds = 15
const cyclesOfRound = 20

type Size = {
  readonly deliveries: number
  readonly backlog: Backlog
  readonly medians: number[]
  readonly means: number[]
}

const mean = (figures: readonly number[]): number =>
  figures.reduce((sum, each) => sum + each, 0) / figures.length

const ratioOf = (least: Measurement | undefined, most: Measurement | undefined): number =>
  least && most ? Number(medianRatio(most, least).toFixed(2)) : Number.NaN

/** Measures one shape with each number of deliveries. Cycles take turns, so that a slow moment hits all of them. */
export const measureGrowth = async (
  engine: Engine,
  {
    shape,
    contents,
    numbers,
  }: { shape: string; contents: (deliveries: number) => Contents; numbers: readonly number[] },
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
    for (let cycle = 0; cycle < cyclesOfRound; cycle++) {
      for (const [{ backlog }, figures] of costs) {
        const { nanoseconds, deliveries } = await runCycle(backlog.store)
        figures.push(nanoseconds / deliveries)
      }
    }
    if (round < 0) continue
    for (const [{ medians, means }, figures] of costs) {
      medians.push(median(figures))
      means.push(mean(figures))
    }
  }
  const points = sizes.map(({ deliveries, medians }) => ({
    deliveries,
    cost: summarize(`${deliveries.toLocaleString('en')} ${shape}`, medians),
  }))
  const ofMeans = sizes.map(({ means }) => summarize(shape, means))
  for (const { backlog } of sizes) await backlog.remove()
  return {
    shape,
    points,
    times: ratioOf(points[0]?.cost, points.at(-1)?.cost),
    timesOfMeans: ratioOf(ofMeans[0], ofMeans.at(-1)),
  }
}
