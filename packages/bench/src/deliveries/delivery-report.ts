import { type Measurement, medianRatio } from '../measurement.ts'
import { describeMachine, writeResult } from '../report.ts'
import type { CpuFigures } from './cpu-meter.ts'

/** Options for {@link reportDeliveries}. */
export type DeliveryReport = {
  readonly title: string
  /** Name of the file in `results/`. */
  readonly file: string
  /** The first is the baseline. */
  readonly measurements: readonly Measurement[]
  readonly cpu: CpuFigures
  /** Further results for the file. */
  readonly facts?: object
}

const toRate = (nanoseconds: number): number => Math.round(1e9 / nanoseconds)

/** Prints deliveries per second and CPU time per delivery, and writes them to `results/`. */
export const reportDeliveries = ({ title, file, measurements, cpu, facts }: DeliveryReport): void => {
  const [base] = measurements
  if (base === undefined) return
  const rows = measurements.map((each) => [
    each.name,
    {
      'per second': toRate(each.median),
      'interquartile range': each.quartiles.toReversed().map(toRate).join(' – '),
      [`relative to ${base.name}`]: Number(medianRatio(base, each).toFixed(2)),
      ...Object.fromEntries(
        Object.entries(cpu[each.name] ?? {}).map(([part, figure]) => [`CPU µs each, ${part}`, figure]),
      ),
    },
  ])
  const table = Object.fromEntries(rows)
  console.log(`\n${title}`)
  console.table(table)
  writeResult(file, { title, machine: describeMachine(), table, ...facts, measurements })
}
