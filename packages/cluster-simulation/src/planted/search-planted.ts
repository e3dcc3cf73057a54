import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PlantedBug } from '../../bugs/bug.ts'
import { plantedBugs } from '../../bugs/index.ts'
import { type Copy, copySources } from './plant.ts'

const run = promisify(execFile)

/**
 * Maximum CPU time for finding a bug, in milliseconds. Unlike elapsed time, it does not depend on the machine's load.
 */
const maximumCpuMs = 60_000
/** Time after which a process is considered hung, in milliseconds. */
const maximumMs = 1_800_000

type Found = {
  /** CPU time until the bug was found, in milliseconds. */
  readonly cpuMs: number
  /** The first seed that exposes the bug. Seeds start at 1, so it is also the number of runs. */
  readonly seed: number
  /** Number of operations and faults in the run after shrinking. */
  readonly entries: number
  readonly invariant: string
}

/** The run that found the bug, or `null`. */
export type Find = { readonly bug: PlantedBug; readonly found: Found | null }

const find = async (
  { script, compileCache }: Copy,
  ...values: ReadonlyArray<number | string>
): Promise<Found | null> => {
  const args = ['--conditions=@wabakit/source', script, ...values.map(String)]
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const { stdout } = await run(process.execPath, args, { timeout: maximumMs, killSignal: 'SIGKILL', env })
  return JSON.parse(stdout)
}

const findBug = async (copy: Copy, bug: PlantedBug, { onFalse }: SearchOptions): Promise<Find> => {
  let cpuMs = 0
  for (let first = 1; ; ) {
    const removeBug = copy.plant(bug)
    const found = await find(copy, first, Infinity, maximumCpuMs - cpuMs, bug.name).finally(removeBug)
    if (found === null) return { bug, found }
    cpuMs += found.cpuMs
    const isReal = (await find(copy, found.seed, 1)) === null
    if (isReal) return { bug, found: { ...found, cpuMs } }
    onFalse(found.seed)
    first = found.seed + 1
  }
}

export type SearchOptions = {
  /** Maximum number of concurrent searches. */
  readonly threads: number
  /** Limits the search to bugs whose name or file contains one of these comma-separated parts. */
  readonly only?: string
  /** Called with each result. `left` is the number of remaining bugs. */
  onFind(find: Find, left: number): void
  /** Called with a seed that breaks an invariant without a planted bug. It does not count as a find. */
  onFalse(seed: number): void
}

/** Plants bugs in copies of the sources, one bug per copy at a time, and searches for runs that expose them. */
export const searchPlanted = async (options: SearchOptions): Promise<readonly Find[]> => {
  const { threads, only = '', onFind } = options
  const parts = only.split(',')
  const all = plantedBugs.filter(({ name, file }) => parts.some((part) => `${name} ${file}`.includes(part)))
  const waiting = [...all]
  const finds: Find[] = []
  const work = async (): Promise<void> => {
    const copy = copySources()
    try {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
        const find = await findBug(copy, bug, options)
        finds.push(find)
        onFind(find, all.length - finds.length)
      }
    } finally {
      copy.remove()
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
  return finds
}
