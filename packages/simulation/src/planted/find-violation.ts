// Runs one seed after the other until an invariant is broken, and prints which. Started in a copy with a planted bug, and
// then in the original with the one seed, which must not break anything there.

import { drawPlan } from '../draw-plan.ts'
import { runPlan } from '../run-plan.ts'
import { countEntries, shrinkPlan } from '../shrink.ts'

const [first = 1, count = Infinity, maximumCpuMs = Infinity] = process.argv.slice(2, 5).map(Number)
/** Only runs on this engine; on any if it is empty. */
const engine = process.argv[5] ?? ''

/** Time of one processor in which a run is shrunk, in milliseconds. */
const maximumShrinkCpuMs = 8_000

const measureCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const search = async (): Promise<object | null> => {
  for (let seed = first; seed < first + count && measureCpuMs() < maximumCpuMs; seed++) {
    const drawn = drawPlan(seed)
    if (engine !== '' && drawn.engine !== engine) continue
    const { violation } = await runPlan(drawn)
    if (violation === undefined) continue
    const cpuMs = measureCpuMs()
    const { plan } = await shrinkPlan(drawn, { violation, maximumCpuMs: maximumShrinkCpuMs })
    return { cpuMs, seed, entries: countEntries(plan), ...violation }
  }
  return null
}

console.log(JSON.stringify(await search()))
// A planted bug may keep the process alive.
process.exit(0)
