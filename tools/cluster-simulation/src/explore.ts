import { Worker } from 'node:worker_threads'
import type { Plan } from './plan.ts'
import type { RunResult, Violation } from './run-plan.ts'

export type SeedRange = { readonly first: number; readonly count: number }

/** The result that a thread reports for a seed. */
export type SeedRun = Pick<RunResult, 'steps' | 'virtualMs' | 'deliveries' | 'violation'> &
  Pick<Plan, 'seed' | 'engine'> & {
    readonly faults: readonly string[]
  }

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
  /** The seed of the first run. Each subsequent run uses the next seed. */
  readonly seed: number
  readonly runs: number
  /** Time after which no further runs start, in milliseconds. */
  readonly maximumMs: number
  readonly threads: number
  /** Number of violations after which no further runs start. */
  readonly maximumViolations: number
  onProgress(summary: Summary): void
}

/** Number of seeds per report of a thread. */
const chunk = 50

/** Runs seeds in several threads. The result of a run does not depend on its thread. */
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
