import { type Measurement, machine, medianRatio, writeResult } from '../rounds.ts'
import type { CpuFigures } from './cpu-meter.ts'

/** What {@link reportDeliveries} shows. */
export type DeliveryReport = {
  readonly title: string
  /** Name of the file in `results/`. */
  readonly file: string
  /** The first is what the others are compared to. */
  readonly measurements: readonly Measurement[]
  readonly cpu: CpuFigures
  /** What else is worth keeping. */
  readonly facts?: object
}

const perSecond = (nanoseconds: number): number => Math.round(1e9 / nanoseconds)

/** Prints deliveries per second and CPU time per delivery, and writes them as JSON to `results/`. */
export const reportDeliveries = ({ title, file, measurements, cpu, facts }: DeliveryReport): void => {
  const [base] = measurements
  if (base === undefined) return
  const rows = measurements.map((each) => [
    each.name,
    {
      'per second': perSecond(each.median),
      'middle half': each.quartiles.toReversed().map(perSecond).join(' – '),
      [`against ${base.name}`]: Number(medianRatio(base, each).toFixed(2)),
      ...Object.fromEntries(
        Object.entries(cpu[each.name] ?? {}).map(([part, figure]) => [`CPU µs each, ${part}`, figure]),
      ),
    },
  ])
  const table = Object.fromEntries(rows)
  console.log(`\n${title}`)
  console.table(table)
  writeResult(file, { title, machine: machine(), table, ...facts, measurements })
}
