import { median } from '../measurement.ts'
import type { Contender } from '../rounds.ts'

/** CPU time used so far in microseconds, by part, such as `workers`. */
export type CpuReading = Readonly<Record<string, number>>

/** CPU time per operation, by contender. */
export type CpuFigures = Readonly<Record<string, CpuReading>>

/** Creates a meter for the CPU time of contenders. */
export const createCpuMeter = () => {
  const figures = new Map<string, Map<string, number[]>>()
  const add = (contender: string, part: string, figure: number): void => {
    const parts = figures.get(contender) ?? new Map<string, number[]>()
    figures.set(contender, parts.set(part, [...(parts.get(part) ?? []), figure]))
  }
  return {
    /** Wraps a contender so that its CPU time is read before and after each round. */
    measure: (contender: Contender, read: () => CpuReading): Contender => ({
      ...contender,
      run: async (times) => {
        const before = read()
        await contender.run(times)
        for (const [part, after] of Object.entries(read()))
          add(contender.name, part, (after - (before[part] ?? 0)) / times)
      },
    }),
    /** Medians of the rounds, in microseconds. */
    figures: (): CpuFigures =>
      Object.fromEntries(
        [...figures].map(([contender, parts]) => [
          contender,
          Object.fromEntries([...parts].map(([part, each]) => [part, Math.round(median(each))])),
        ]),
      ),
  }
}
