import { type Contender, median } from '../rounds.ts'

/** CPU time used so far, in microseconds, by what is told apart. */
export type CpuReading = Readonly<Record<string, number>>

/** Figures of CPU time for one time of what a contender does, by contender. */
export type CpuFigures = Readonly<Record<string, CpuReading>>

/** Measures what contenders use of the CPU. */
export const createCpuMeter = () => {
  const figures = new Map<string, Map<string, number[]>>()
  const add = (contender: string, part: string, figure: number): void => {
    const parts = figures.get(contender) ?? new Map<string, number[]>()
    figures.set(contender, parts.set(part, [...(parts.get(part) ?? []), figure]))
  }
  return {
    /** The same contender, measured at each round by what it reads. */
    measure: (contender: Contender, read: () => CpuReading): Contender => ({
      ...contender,
      run: async (times) => {
        const before = read()
        await contender.run(times)
        for (const [part, after] of Object.entries(read()))
          add(contender.name, part, (after - (before[part] ?? 0)) / times)
      },
    }),
    /** Medians of the rounds, in whole microseconds. */
    figures: (): CpuFigures =>
      Object.fromEntries(
        [...figures].map(([contender, parts]) => [
          contender,
          Object.fromEntries([...parts].map(([part, each]) => [part, Math.round(median(each))])),
        ]),
      ),
  }
}
