import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { medianRatio } from '../measurement.ts'
import { report } from '../report.ts'
import type { Growth } from './measure-growth.ts'
import { drawPanels, type Panel } from './plot.ts'

const files = { SQLite: 'store-growth', PostgreSQL: 'store-growth-postgres' } as const
const resolveResult = (name: string): URL => new URL(`../../results/${name}`, import.meta.url)

const readPanel = (engine: keyof typeof files): Panel[] => {
  const path = resolveResult(`${files[engine]}.json`)
  if (!existsSync(path)) return []
  const { growths }: { growths: readonly Growth[] } = JSON.parse(readFileSync(path, 'utf8'))
  const lines = growths.map(({ shape, points }) => {
    const base = points[0]?.cost
    const microseconds = Math.round((base?.median ?? Number.NaN) / 1_000).toLocaleString('en')
    return {
      name: `${shape} (1 = ${microseconds} µs)`,
      points: points.map(({ deliveries, cost }) => [deliveries, base ? medianRatio(cost, base) : 1] as const),
    }
  })
  return [{ title: engine, lines }]
}

/** Prints the measurements, writes them to `results/`, and draws the results of both engines as `results/growth.svg`. */
export const reportGrowth = (engine: keyof typeof files, growths: readonly Growth[]): void => {
  const measurements = growths.flatMap(({ points }) => points.map(({ cost }) => cost))
  report(`Claim and settle on ${engine}, per delivery`, files[engine], measurements, { growths })
  const maximum = growths[0]?.points.at(-1)?.deliveries.toLocaleString('en')
  console.log(`Cost with ${maximum} deliveries in the store, relative to 1,000:`)
  console.table(
    Object.fromEntries(
      growths.map(({ shape, times, timesOfMeans }) => [shape, { medians: times, means: timesOfMeans }]),
    ),
  )
  const drawing = drawPanels([...readPanel('SQLite'), ...readPanel('PostgreSQL')], {
    xTitle: 'deliveries in the store',
    yTitle: 'cost of a delivery, relative to 1,000',
    goal: { y: 1.5, name: 'goal: at most 1.5' },
  })
  writeFileSync(resolveResult('growth.svg'), drawing)
}
