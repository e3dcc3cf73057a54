import { Worker } from 'node:worker_threads'
import type { Plan } from './plan.ts'
import type { RunResult, Violation } from './run-plan.ts'

/** The seeds to run: `count` of them, starting with `first`. */
export type SeedRange = { readonly first: number; readonly count: number }

/** A seed's run, as reported by a thread. */
export type SeedRun = Pick<RunResult, 'steps' | 'virtualMs' | 'deliveries' | 'violation'> &
  Pick<Plan, 'seed' | 'engine'> & {
    /** Names of the faults that occurred. */
    readonly faults: readonly string[]
  }

/** Totals of several runs. */
export type Summary = {
  runs: number
  steps: number
  virtualMs: number
  deliveries: number
  /** Number of times each fault occurred. */
  readonly faults: Record<string, number>
  /** Number of runs on each engine. */
  readonly engines: Record<string, number>
  readonly violations: { readonly seed: number; readonly violation: Violation }[]
}

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}

const addRun = (summary: Summary, run: SeedRun): void => {
  const { seed, violation } = run
  summary.runs++
  summary.steps += run.steps
  summary.virtualMs += run.virtualMs
  summary.deliveries += run.deliveries
  count(summary.engines, run.engine)
  for (const fault of run.faults) count(summary.faults, fault)
  if (violation !== undefined) summary.violations.push({ seed, violation })
}

export type ExploreOptions = {
  /** The first seed. Later runs use the following seeds. */
  readonly seed: number
  readonly runs: number
  /** Maximum duration, in milliseconds. */
  readonly maximumMs: number
  readonly threads: number
  /** Number of violations that end the exploration. */
  readonly maximumViolations: number
  onProgress(summary: Summary): void
}

/** Number of seeds that a thread runs before it reports. */
const chunk = 50

/** Runs seeds in threads. A seed's run is the same in every thread. */
export const explore = async (options: ExploreOptions): Promise<Summary> => {
  const { seed, runs, maximumMs, threads, maximumViolations, onProgress } = options
  const totals = { runs: 0, steps: 0, virtualMs: 0, deliveries: 0 }
  const summary: Summary = { ...totals, faults: {}, engines: {}, violations: [] }
  const start = performance.now()
  let next = 0

  const takeRange = (): SeedRange | undefined => {
    const isOver = performance.now() - start > maximumMs || summary.violations.length >= maximumViolations
    if (isOver || next >= runs) return undefined
    const range = { first: seed + next, count: Math.min(chunk, runs - next) }
    next += range.count
    return range
  }

  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./explore-thread.ts', import.meta.url))
      const assign = (): void => {
        const range = takeRange()
        if (range === undefined) void worker.terminate().then(() => resolve())
        else worker.postMessage(range)
      }
      worker.on('error', reject)
      worker.on('message', (done: readonly SeedRun[]) => {
        for (const run of done) addRun(summary, run)
        onProgress(summary)
        assign()
      })
      assign()
    })

  await Promise.all(Array.from({ length: threads }, work))
  return summary
}
