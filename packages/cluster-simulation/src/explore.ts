import { Worker } from 'node:worker_threads'
import type { Violation } from './run-plan.ts'

/** The seeds to run: `count` of them, starting with `first`. */
export type SeedRange = { readonly first: number; readonly count: number }

/** Totals of several runs. */
export type Summary = {
  runs: number
  steps: number
  virtualMs: number
  deliveries: number
  /** Number of times each fault occurred. */
  faults: Record<string, number>
  /** Number of runs on each engine. */
  engines: Record<string, number>
  violations: { readonly seed: number; readonly violation: Violation }[]
}

export const createSummary = (): Summary => ({
  runs: 0,
  steps: 0,
  virtualMs: 0,
  deliveries: 0,
  faults: {},
  engines: {},
  violations: [],
})

const addCounts = (into: Record<string, number>, more: Record<string, number>): void => {
  for (const [name, count] of Object.entries(more)) into[name] = (into[name] ?? 0) + count
}

const addSummary = (into: Summary, more: Summary): void => {
  into.runs += more.runs
  into.steps += more.steps
  into.virtualMs += more.virtualMs
  into.deliveries += more.deliveries
  addCounts(into.faults, more.faults)
  addCounts(into.engines, more.engines)
  into.violations.push(...more.violations)
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
  const summary = createSummary()
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
      worker.on('message', (done: Summary) => {
        addSummary(summary, done)
        onProgress(summary)
        assign()
      })
      assign()
    })

  await Promise.all(Array.from({ length: threads }, work))
  return summary
}
