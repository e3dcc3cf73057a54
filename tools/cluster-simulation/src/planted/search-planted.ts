import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PlantedBug } from '../../bugs/bug.ts'
import { plantedBugs } from '../../bugs/index.ts'
import { type Copy, copySources } from './plant.ts'

const run = promisify(execFile)

/** Maximum CPU time of a search, in milliseconds. Elapsed time would depend on the load of the machine. */
const maximumCpuMs = 60_000
/** Time after which a process is killed because it hangs, in milliseconds. */
const maximumMs = 1_800_000

type Found = {
  /** The CPU time of the search, in milliseconds. */
  readonly cpuMs: number
  /** The first seed that exposes the bug. */
  readonly seed: number
  /** The number of operations and faults in the shrunk plan. */
  readonly entries: number
  readonly invariant: string
}

/** A bug, and the run that exposes it, or `null` if none was found. */
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
  readonly threads: number
  /** Parts of bug names or file paths, separated by commas. Only bugs that match one of them are planted. */
  readonly only?: string
  /** Called after the search for each bug. `left` is the number of remaining bugs. */
  onFind(find: Find, left: number): void
  /** Called with a seed that breaks an invariant even without the bug. The search then continues. */
  onFalse(seed: number): void
}

/** Plants bugs one after another in copies of the sources, and searches for runs that expose them. */
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
