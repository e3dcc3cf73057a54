// Runs one seed after another until an invariant breaks, and prints the seed and the invariant. This script first runs
// in a copy of the sources with a planted bug, and then again without the bug to check that the seed breaks nothing.

import type { PlantedBug } from '../../bugs/bug.ts'
import { plantedBugs } from '../../bugs/index.ts'
import { drawPlan } from '../draw-plan.ts'
import type { EngineName } from '../plan.ts'
import { runPlan } from '../run-plan.ts'
import { countEntries, maximumEntries, measureCpuMs, shrinkPlan } from '../shrink.ts'

const [first = 1, count = Infinity, maximumCpuMs = Infinity] = process.argv.slice(2, 5).map(Number)
const bug = plantedBugs.find(({ name }) => name === process.argv[5])
/** Returns the only engine that can expose a bug, or `undefined` if every engine can expose it. */
const chooseEngine = ({ file }: PlantedBug): EngineName | undefined => {
  if (file.includes('/stores/sqlite/')) return 'sqlite'
  return /^core\/src\/(?:delivery|memory-store|storage\/workers)/.test(file) ? 'memory' : undefined
}
const engine = bug && chooseEngine(bug)

/** Maximum CPU time for shrinking a run, in milliseconds. Most runs need one or two seconds. */
const maximumShrinkCpuMs = 30_000

const search = async (): Promise<object | null> => {
  for (let seed = first; seed < first + count && measureCpuMs() < maximumCpuMs; seed++) {
    const drawn = drawPlan(seed)
    if (engine !== undefined && drawn.engine !== engine) continue
    if (bug?.needs?.(drawn) === false) continue
    const { violation } = await runPlan(drawn)
    if (violation === undefined) continue
    const cpuMs = measureCpuMs()
    const shrinking = { violation, maximumCpuMs: maximumShrinkCpuMs, enough: maximumEntries }
    const { plan } = await shrinkPlan(drawn, shrinking)
    return { cpuMs, seed, entries: countEntries(plan), ...violation }
  }
  return null
}

console.log(JSON.stringify(await search()))
// The planted bug might keep the process alive.
process.exit(0)
